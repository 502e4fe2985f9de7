"""A drawing area with nothing on it yet, in GTK 3, that writes down what is drawn. Run by the system's Python, in the
workspace of a virtual desktop."""

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402


def did(what):
    with open("did.txt", "a") as file:
        file.write(f"{what}\n")


begun = []
window = Gtk.Window(title="Drawing")
window.connect("destroy", Gtk.main_quit)
window.set_default_size(500, 350)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
button = Gtk.Button(label="Pencil")
button.connect("clicked", lambda *_: did("pencil"))
box.pack_start(button, False, False, 0)
area = Gtk.DrawingArea()
area.add_events(Gdk.EventMask.BUTTON_PRESS_MASK | Gdk.EventMask.BUTTON_RELEASE_MASK)
area.connect("button-press-event", lambda _, event: begun.append((event.x, event.y)))
area.connect("button-release-event", lambda _, event: did(f"line {event.x - begun[-1][0]:g},{event.y - begun[-1][1]:g}"))
box.pack_start(area, True, True, 0)
window.add(box)
window.show_all()
Gtk.main()
