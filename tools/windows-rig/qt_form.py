"""A window with one of each control, whose toolkit tells UI Automation of them itself. Its title says what was sent."""

from __future__ import annotations

import sys

from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLineEdit,
    QListWidget,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QSlider,
    QSpinBox,
    QTabWidget,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

application = QApplication(sys.argv)
window = QMainWindow()
window.setWindowTitle("Qt Form")
page = QWidget()
form = QFormLayout(page)

name, password, notes = QLineEdit("hello"), QLineEdit("secret"), QPlainTextEdit("first\nsecond")
password.setEchoMode(QLineEdit.EchoMode.Password)
agreed, express = QCheckBox("Agree"), QRadioButton("Express")
colour, age, volume = QComboBox(), QSpinBox(), QSlider()
colour.addItems(["red", "green"])
letters = QListWidget()
letters.addItems([f"Letter {number}" for number in range(1, 41)])
for label, control in {
    "Name": name,
    "Password": password,
    "Notes": notes,
    "Colour": colour,
    "Age": age,
    "Volume": volume,
    "Letters": letters,
}.items():
    control.setAccessibleName(label)
    form.addRow(label, control)
form.addRow(agreed)
form.addRow(express)
send = QPushButton("Send")
send.clicked.connect(
    lambda: window.setWindowTitle(f"Sent {name.text()} {colour.currentText()} {age.value()} {agreed.isChecked()}")
)
form.addRow(send)

places = QTreeWidget()
places.setHeaderLabel("Places")
europe = QTreeWidgetItem(places, ["Europe"])
QTreeWidgetItem(europe, ["Oslo"])
tabs = QTabWidget()
tabs.addTab(page, "Form")
tabs.addTab(places, "Tree")
window.setCentralWidget(tabs)
file = window.menuBar().addMenu("File")
file.addAction("Mark", lambda: window.setWindowTitle("Marked"))
file.addAction("Quit", application.quit)
window.setGeometry(500, 60, 420, 640)
window.show()
sys.exit(application.exec())
