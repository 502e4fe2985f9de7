"""Files a fresh virtual desktop starts with: users, window manager, and settings that keep programs quiet.

Quiet means: no first-start tips in the way of the first observation, no blinking cursor that keeps the screen from settling.
"""

from __future__ import annotations

from deskcrew.environments.isolation import accounts
from deskcrew.environments.linux.sandbox.sandbox import USER_ID
from deskcrew.environments.rundir import RunDir

OPENBOX = """<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus><focusNew>yes</focusNew><followMouse>no</followMouse></focus>
  <placement><policy>Smart</policy><center>yes</center></placement>
  <theme><name>Clearlooks</name><titleLayout>LIMC</titleLayout><keepBorder>yes</keepBorder></theme>
  <desktops><number>1</number><popupTime>0</popupTime></desktops>
  <keyboard><keybind key="A-F4"><action name="Close"/></keybind></keyboard>
  <mouse>
    <dragThreshold>3</dragThreshold><screenEdgeWarpTime>0</screenEdgeWarpTime>
    <context name="Client">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Right" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
    </context>
    <context name="Titlebar">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Left" action="Drag"><action name="Move"/></mousebind>
      <mousebind button="Left" action="DoubleClick"><action name="ToggleMaximize"/></mousebind>
    </context>
    <context name="Close"><mousebind button="Left" action="Click"><action name="Close"/></mousebind></context>
    <context name="Maximize">
      <mousebind button="Left" action="Click"><action name="ToggleMaximize"/></mousebind>
    </context>
    <context name="Iconify"><mousebind button="Left" action="Click"><action name="Iconify"/></mousebind></context>
  </mouse>
</openbox_config>
"""

GTK_SETTINGS = """[Settings]
gtk-cursor-blink=0
gtk-enable-animations=0
gtk-recent-files-enabled=0
"""

# What is saved or downloaded without a folder being said is meant to be found.
USER_FOLDERS = """XDG_DOCUMENTS_DIR="/workspace"
XDG_DOWNLOAD_DIR="/workspace"
"""

LIBREOFFICE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
{items}
</oor:items>
"""

# What is typed must be what stands there afterwards, so nothing completes or corrects it.
LIBREOFFICE_ITEMS = (
    ("/org.openoffice.Office.Common/Misc", "ShowTipOfTheDay", "false"),
    ("/org.openoffice.Office.Common/Misc", "FirstRun", "false"),
    ("/org.openoffice.Office.Paths/Variables", "Work", "file:///workspace"),
    ("/org.openoffice.Office.Common/Misc", "CrashReport", "false"),
    ("/org.openoffice.Office.Common/Save/Document", "WarnAlienFormat", "false"),
    ("/org.openoffice.Office.Calc/Input", "AutoInput", "false"),
    ("/org.openoffice.Office.Common/AutoCorrect", "TwoCapitalsAtStart", "false"),
    ("/org.openoffice.Office.Common/AutoCorrect", "CapitalAtStartSentence", "false"),
    ("/org.openoffice.Setup/Office", "ooSetupInstCompleted", "true"),
    ("/org.openoffice.Setup/Product", "ooSetupLastVersion", "99.9"),
    ("/org.openoffice.Setup/Product", "LastTimeDonateShown", "4102444800"),
    ("/org.openoffice.Setup/Product", "LastTimeGetInvolvedShown", "4102444800"),
)


def write_skeleton(run: RunDir) -> None:
    """Write the start files into the run folder; the sandbox's first process copies ``skel`` into the home."""
    etc, skel = run.path / "etc", run.path / "skel"
    for name, content in accounts(USER_ID, USER_ID).items():
        (etc / name).write_text(content)
    (run.path / "openbox.xml").write_text(OPENBOX)
    files = {".config/gtk-3.0/settings.ini": GTK_SETTINGS, ".config/gtk-4.0/settings.ini": GTK_SETTINGS}
    files[".config/user-dirs.dirs"] = USER_FOLDERS
    items = "\n".join(
        f'<item oor:path="{path}"><prop oor:name="{name}" oor:op="fuse"><value>{value}</value></prop></item>'
        for path, name, value in LIBREOFFICE_ITEMS
    )
    files[".config/libreoffice/4/user/registrymodifications.xcu"] = LIBREOFFICE.format(items=items)
    for name, content in files.items():
        path = skel / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
