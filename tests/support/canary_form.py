"""A log-in form for tests, run by the system's Python on a virtual desktop: GTK 3 through ctypes, no other package needed.

It is as careless as a program can be: what is typed into it goes to a label, to the window's title and to the clipboard.
"""

import ctypes
import ctypes.util

gtk = ctypes.CDLL("libgtk-3.so.0")
glib = ctypes.CDLL("libglib-2.0.so.0")
gobject = ctypes.CDLL("libgobject-2.0.so.0")
gdk = ctypes.CDLL("libgdk-3.so.0")
for function in ("gtk_window_new", "gtk_box_new", "gtk_entry_new", "gtk_label_new", "gtk_clipboard_get", "gdk_atom_intern"):
    getattr(gdk if function.startswith("gdk") else gtk, function).restype = ctypes.c_void_p
gtk.gtk_entry_get_text.restype = ctypes.c_char_p
HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
P = ctypes.c_void_p

glib.g_set_prgname(b"canary-mail")
gtk.gtk_init(None, None)
gdk.gdk_set_program_class(b"canary-mail")
window = P(gtk.gtk_window_new(0))
gtk.gtk_window_set_title(window, b"Log in")
gtk.gtk_window_set_default_size(window, 700, 300)
box = P(gtk.gtk_box_new(1, 20))
gtk.gtk_container_add(window, box)
account, password, label = P(gtk.gtk_entry_new()), P(gtk.gtk_entry_new()), P(gtk.gtk_label_new(b"Nothing yet"))
gtk.gtk_entry_set_visibility(password, 0)
for entry in (account, password):
    gtk.gtk_widget_set_can_default(entry, 0)
for widget in (account, password, label):
    gtk.gtk_box_pack_start(box, widget, 0, 0, 10)
clipboard = P(gtk.gtk_clipboard_get(P(gdk.gdk_atom_intern(b"CLIPBOARD", 0))))


def echo(*_):
    said = gtk.gtk_entry_get_text(account)
    gtk.gtk_label_set_text(label, b"You said " + said)
    gtk.gtk_window_set_title(window, b"Log in: " + said)
    gtk.gtk_clipboard_set_text(clipboard, said, -1)


changed = HANDLER(echo)
gobject.g_signal_connect_data(account, b"changed", changed, None, None, 0)
quits = HANDLER(lambda *_: gtk.gtk_main_quit())
gobject.g_signal_connect_data(window, b"destroy", quits, None, None, 0)
gtk.gtk_widget_show_all(window)
gtk.gtk_main()
