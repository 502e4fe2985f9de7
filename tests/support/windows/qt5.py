"""A window of every kind of control, in Qt 5, that writes down what was done to it. Run by the system's Python, in the
workspace of a virtual desktop."""

import sys

from PyQt5.QtCore import Qt
from PyQt5.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QMainWindow,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QSlider,
    QSpinBox,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)


def did(what):
    with open("did.txt", "a") as file:
        file.write(f"{what}\n")


def pressed(name, deed):
    button = QPushButton(name)
    button.clicked.connect(lambda: deed())
    return button


def rows():
    tree = QTreeWidget()
    tree.setHeaderLabels(["Name", "Price"])
    tree.addTopLevelItem(QTreeWidgetItem(["fruit", ""]))
    for words in (["apple", "12"], ["pear", "7"]):
        tree.topLevelItem(0).addChild(QTreeWidgetItem(words))
    tree.expandAll()
    tree.currentItemChanged.connect(lambda item, _: did(f"row {item.text(0)}"))
    return tree


def ask():
    box = QMessageBox(window)
    box.setWindowTitle("Sure?")
    box.setText("Sure?")
    box.addButton("Nope", QMessageBox.RejectRole)
    certainly = box.addButton("Certainly", QMessageBox.AcceptRole)
    box.exec()
    did(f"dialog {2 if box.clickedButton() is certainly else 1}")


app = QApplication(sys.argv)
window = QMainWindow()
window.setWindowTitle("Everything")
menu = window.menuBar().addMenu("Deeds")
for entry in ("Begin", "Finish"):
    menu.addAction(entry).triggered.connect(lambda *_, entry=entry: did(f"menu {entry}"))
tabs = QTabWidget()
first, second = QWidget(), QWidget()
tabs.addTab(first, "One")
tabs.addTab(second, "Two")
form = QFormLayout(first)
check, combo, spin, slider = QCheckBox("Tick"), QComboBox(), QSpinBox(), QSlider(Qt.Horizontal)
combo.addItems(["red", "green", "blue"])
check.toggled.connect(lambda on: did(f"check {on}"))
combo.currentTextChanged.connect(lambda text: did(f"combo {text}"))
spin.valueChanged.connect(lambda number: did(f"spin {number}"))
slider.valueChanged.connect(lambda number: did(f"slider {number}"))
for widget in (pressed("Press", lambda: did("button")), check, pressed("Ask", ask)):
    form.addRow(widget)
for name, widget in (("Colour", combo), ("Amount", spin), ("Volume", slider)):
    form.addRow(name, widget)
tall, scrolled = QWidget(), QScrollArea()
column = QVBoxLayout(tall)
for number in range(20):
    column.addWidget(pressed(f"far {number}", lambda number=number: did(f"far {number}")))
scrolled.setWidget(tall)
both = QVBoxLayout(second)
both.addWidget(rows())
both.addWidget(scrolled)
window.setCentralWidget(tabs)
window.resize(420, 380)
window.show()
app.exec()
