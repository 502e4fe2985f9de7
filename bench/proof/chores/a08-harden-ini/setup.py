FILES = {
    'shop.ini': '; main shop\n[server]\nenv = production\nport = 8080\ndebug = on   \n; debug = on\n\n[client]\ndebug = on\nport = 8080\n',
    'blog.ini': '[client]\nport = 8080\nenv = production\n\n[server]\nenv = staging\nport = 8080\ndebug = on\n',
    'wiki.ini': '# wiki, handle with care\n[server]\nport=9090\ndebug=on\nenv=production\nmotto = port 8080 is closed\n',
    'jobs.ini': '[server]\nenv = production\nport = 8443\ndebug = off\n\n[mail]\ndebug = on\n',
    'intern/hr.ini': '[paths]\ndata = D:\\hr\\daten\n\n[server]\nPort = 8080\nenv = production\ndebug = off\nname = Büro\n',
    'intern/test.ini': '[server]\n; env = production\nenv = test\nport = 8080\ndebug = on\n',
    'intern/alt/crm.ini': '[server]\ndebug = on\nport = 80801\nenv = production\n[log]\nlevel = debug\ndebug = on\n',
    'preprod.ini': '[server]\nenv = pre-production\nport = 8080\ndebug = on\n',
    'shop.ini.bak': '[server]\nenv = production\nport = 8080\ndebug = on\n',
}
def setup(folder):
    for name, text in FILES.items():
        f = folder / 'sites' / name
        f.parent.mkdir(parents=True, exist_ok=True)
        f.write_bytes(text.encode('utf-8'))
