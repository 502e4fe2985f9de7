"""A window that paints its buttons itself, in Qt 5, and writes down what was done to it. Run by the system's Python, in the
workspace of a virtual desktop."""

from PyQt5.QtCore import QRect, Qt
from PyQt5.QtGui import QColor, QFont, QPainter
from PyQt5.QtWidgets import QApplication, QWidget

SPOTS = {"Roll dice": QRect(60, 60, 220, 80), "Send": QRect(340, 60, 220, 80)}


def did(what):
    with open("did.txt", "a") as file:
        file.write(f"{what}\n")


class Board(QWidget):
    def __init__(self):
        super().__init__()
        self.setWindowTitle("Board")
        self.resize(640, 420)
        self.begun = None

    def paintEvent(self, event):
        painter = QPainter(self)
        painter.fillRect(self.rect(), QColor("#226644"))
        painter.setFont(QFont("DejaVu Sans", 20))
        for name, spot in SPOTS.items():
            painter.fillRect(spot, QColor("#eeeeee"))
            painter.setPen(QColor("black"))
            painter.drawText(spot, Qt.AlignCenter, name)

    def mousePressEvent(self, event):
        self.begun = event.pos()

    def mouseReleaseEvent(self, event):
        way = event.pos() - self.begun
        if way.manhattanLength() > 10:
            did(f"drag by {way.x()},{way.y()}")
        else:
            did(next((name for name, spot in SPOTS.items() if spot.contains(event.pos())), "nothing"))

    def wheelEvent(self, event):
        did("up" if event.angleDelta().y() > 0 else "down")


application = QApplication(["board"])
board = Board()
board.show()
application.exec_()
