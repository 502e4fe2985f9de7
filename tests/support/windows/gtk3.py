"""A window of every kind of control, in GTK 3, that writes down what was done to it. Run by the system's Python, in the
workspace of a virtual desktop."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


def did(what):
    with open("did.txt", "a") as file:
        file.write(f"{what}\n")


def on(widget, signal, what):
    widget.connect(signal, lambda *_: did(what()))
    return widget


def titled(label, widget):
    box = Gtk.Box(spacing=6)
    text = Gtk.Label(label=label)
    text.set_mnemonic_widget(widget)
    box.pack_start(text, False, False, 0)
    box.pack_start(widget, True, True, 0)
    return box


def rows():
    store = Gtk.TreeStore(str, str)
    fruit = store.append(None, ["fruit", ""])
    store.append(fruit, ["apple", "12"])
    store.append(fruit, ["pear", "7"])
    view = Gtk.TreeView(model=store)
    for at, title in enumerate(("Name", "Price")):
        view.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=at))
    view.expand_all()
    chosen = view.get_selection()
    chosen.unselect_all()
    on(chosen, "changed", lambda: f"row {store[chosen.get_selected()[1]][0]}")
    return view


def ask(window):
    dialog = Gtk.MessageDialog(transient_for=window, modal=True, text="Sure?")
    dialog.add_buttons("Nope", 1, "Certainly", 2)
    did(f"dialog {dialog.run()}")
    dialog.destroy()


window = Gtk.Window(title="Everything")
window.connect("destroy", Gtk.main_quit)
bar = Gtk.MenuBar()
menu = Gtk.MenuItem(label="Deeds")
menu.set_submenu(Gtk.Menu())
for entry in ("Begin", "Finish"):
    menu.get_submenu().append(on(Gtk.MenuItem(label=entry), "activate", lambda entry=entry: f"menu {entry}"))
bar.append(menu)
combo = Gtk.ComboBoxText()
for colour in ("red", "green", "blue"):
    combo.append_text(colour)
combo.set_active(0)
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
on(combo, "changed", lambda: f"combo {combo.get_active_text()}")
on(spin, "value-changed", lambda: f"spin {spin.get_value_as_int()}")
on(scale, "value-changed", lambda: f"slider {int(scale.get_value())}")
for widget in (button, check, question, titled("Colour", combo), titled("Amount", spin), titled("Volume", scale)):
    first.pack_start(widget, False, False, 0)
scrolled = Gtk.ScrolledWindow(min_content_height=90)
tall = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
for number in range(20):
    tall.pack_start(on(Gtk.Button(label=f"far {number}"), "clicked", lambda number=number: f"far {number}"), False, False, 0)
scrolled.add(tall)
second.pack_start(rows(), False, False, 0)
second.pack_start(scrolled, True, True, 0)
whole = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
whole.pack_start(bar, False, False, 0)
whole.pack_start(book, True, True, 0)
window.add(whole)
window.show_all()
Gtk.main()
