"""Builds the wheel and the sdist (PEP 517) with nothing but the standard library.

The package is pure Python without dependencies, so this is all that a build backend has to do, and `pip install` works on
machines that reach no package index.
"""

import base64
import hashlib
import io
import re
import tarfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent
PACKAGE = ROOT / "src" / "errand"
SOURCES = ["pyproject.toml", "README.md", "build_backend.py"]
#: The earliest time that a zip file can hold: the same files always make the same wheel.
EPOCH = (1980, 1, 1, 0, 0, 0)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"errand-{version()}-py3-none-any.whl"
    info = f"errand-{version()}.dist-info"
    files = {f"errand/{path.relative_to(PACKAGE).as_posix()}": path.read_bytes() for path in package_files()}
    files[f"{info}/METADATA"] = metadata().encode()
    files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: errand\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = [f"{path},sha256={digest(content)},{len(content)}" for path, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, EPOCH)
            entry.external_attr = 0o644 << 16
            wheel.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return name


def build_sdist(sdist_directory, config_settings=None):
    folder = f"errand-{version()}"
    paths = [*(ROOT / name for name in SOURCES), *package_files()]
    files = {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}
    files["PKG-INFO"] = metadata().encode()
    with tarfile.open(Path(sdist_directory) / f"{folder}.tar.gz", "w:gz") as sdist:
        for path, content in files.items():
            entry = tarfile.TarInfo(f"{folder}/{path}")
            entry.size = len(content)
            entry.mode = 0o644
            sdist.addfile(entry, io.BytesIO(content))
    return f"{folder}.tar.gz"


def package_files():
    return sorted(path for path in PACKAGE.rglob("*") if path.suffix == ".py" or path.name == "py.typed")


def version():
    found = re.search(r'VERSION = "([^"]+)"', (PACKAGE / "_version.py").read_text())
    if found is None:
        raise RuntimeError("src/errand/_version.py has no VERSION")
    return found[1]


def metadata():
    project = (ROOT / "pyproject.toml").read_text()

    def value(key):
        return re.search(rf'^{key} = "([^"]+)"', project, re.MULTILINE)[1]

    return (
        f"Metadata-Version: 2.1\nName: {value('name')}\nVersion: {version()}\nSummary: {value('description')}\n"
        f"License: Apache-2.0\nRequires-Python: {value('requires-python')}\n"
        f"Description-Content-Type: text/markdown\n\n{(ROOT / 'README.md').read_text()}"
    )


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
