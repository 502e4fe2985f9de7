# Deskcrew with a virtual desktop, as `make setup` would have it: the same Debian packages, the same locked Python packages.
# The wheel comes from `make release`. docs/how-to/install.md says how it is run, and what its sandbox needs of the host.
# tools/image.sh carries out these steps without Docker, and tries what comes of them.
FROM debian:12-slim

COPY tools/apt-packages.txt tools/apt-setup.sh /src/tools/
RUN apt-get update \
    && /src/tools/apt-setup.sh demo \
    && apt-get install -y --no-install-recommends ca-certificates python3-venv \
    && rm -rf /var/lib/apt/lists/*

COPY requirements.lock dist/deskcrew-*.whl /src/
RUN python3 -m venv /opt/deskcrew \
    && /opt/deskcrew/bin/pip install --no-cache-dir --require-hashes --no-deps -r /src/requirements.lock \
    && /opt/deskcrew/bin/pip install --no-cache-dir --no-deps /src/deskcrew-*.whl \
    && useradd --create-home crew \
    && install -d -o crew /data

USER crew
WORKDIR /home/crew
ENV PATH=/opt/deskcrew/bin:$PATH DESKCREW_DATA=/data DESKCREW_MODELS=/data/models
VOLUME /data
EXPOSE 8700
ENTRYPOINT ["deskcrew"]
CMD ["serve", "--host", "0.0.0.0", "--port", "8700", "--origin", "http://127.0.0.1:8700"]
