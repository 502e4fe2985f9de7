import json, random, sys
from pathlib import Path
sys.dont_write_bytecode = True


def rng(seed):
    return random.Random("05-recordatorio/" + str(seed).strip())


def put(d, rel, data):
    p = Path(d) / rel
    p.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode("utf-8")
    p.write_bytes(data)
    return p


def plan(seed):
    r = rng(seed)
    return {"frase": f"{r.choice(['Llamar al dentista', 'Recoger el paquete de Begoña', 'Cita con el señor Núñez', 'Reunión con la gestoría'])}"
                     f" el {r.choice(['lunes', 'martes', 'miércoles', 'jueves'])} {r.randrange(3, 28)} a las {r.randrange(9, 18)}:{r.choice(['15', '30', '45'])}"}


def build(seed, d):
    put(d, "pendientes.txt", "pagar el gas\ncomprar bombillas\n")
    return plan(seed)


if __name__ == "__main__":
    print(json.dumps(build(sys.argv[1], Path(sys.argv[2]))))
