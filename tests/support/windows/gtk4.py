"""A window of every kind of control, in GTK 4, that writes down what was done to it. Run by the system's Python, in the
workspace of a virtual desktop."""

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, GLib, Gtk  # noqa: E402


def did(what):
    with open("did.txt", "a") as file:
        file.write(f"{what}\n")


def on(widget, signal, what):
    widget.connect(signal, lambda *_: did(what()))
    return widget


def titled(label, widget):
    box = Gtk.Box(spacing=6)
    widget.set_hexpand(True)
    box.append(Gtk.Label(label=label, mnemonic_widget=widget))
    box.append(widget)
    return box


def rows():
    box = Gtk.ListBox()
    for name in ("fruit", "apple", "pear"):
        box.append(Gtk.Label(label=name, xalign=0))
    box.connect("row-activated", lambda _, row: did(f"row {row.get_child().get_label()}"))
    return box


def ask(window):
    dialog = Gtk.Dialog(title="Sure?", transient_for=window, modal=True)
    dialog.add_buttons("Nope", 1, "Certainly", 2)
    dialog.connect("response", lambda _, number: (did(f"dialog {number}"), dialog.destroy()))
    dialog.present()


def begin(app):
    window = Gtk.ApplicationWindow(application=app, title="Everything")
    menu, deeds = Gio.Menu(), Gio.Menu()
    for entry in ("Begin", "Finish"):
        action = Gio.SimpleAction.new(entry.lower(), None)
        action.connect("activate", lambda *_, entry=entry: did(f"menu {entry}"))
        app.add_action(action)
        deeds.append(entry, f"app.{entry.lower()}")
    menu.append_submenu("Deeds", deeds)
    colours = ("red", "green", "blue")
    combo = Gtk.DropDown.new_from_strings(colours)
    spin = Gtk.SpinButton.new_with_range(0, 100, 1)
    scale = Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1)
    book = Gtk.Notebook()
    first, second = (Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=4) for _ in range(2))
    for page, name in ((first, "One"), (second, "Two")):
        book.append_page(page, Gtk.Label(label=name))
    button, check = Gtk.Button(label="Press"), Gtk.CheckButton(label="Tick")
    question = Gtk.Button(label="Ask")
    question.connect("clicked", lambda _: ask(window))
    on(button, "clicked", lambda: "button")
    on(check, "toggled", lambda: f"check {check.get_active()}")
    on(combo, "notify::selected", lambda: f"combo {colours[combo.get_selected()]}")
    on(spin, "value-changed", lambda: f"spin {spin.get_value_as_int()}")
    on(scale, "value-changed", lambda: f"slider {int(scale.get_value())}")
    for widget in (button, check, question, titled("Colour", combo), titled("Amount", spin), titled("Volume", scale)):
        first.append(widget)
    tall = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    for number in range(20):
        tall.append(on(Gtk.Button(label=f"far {number}"), "clicked", lambda number=number: f"far {number}"))
    second.append(rows())
    second.append(Gtk.ScrolledWindow(min_content_height=90, child=tall, vexpand=True))
    whole = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    whole.append(Gtk.PopoverMenuBar.new_from_model(menu))
    whole.append(book)
    window.set_child(whole)
    window.present()


app = Gtk.Application(application_id="org.example.everything", flags=Gio.ApplicationFlags.NON_UNIQUE)
app.connect("activate", begin)
GLib.set_prgname("everything")
app.run([])
