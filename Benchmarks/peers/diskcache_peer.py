"""The same work through diskcache: diskcache_peer.py WORKLOAD CORPUS STATE [ID]"""

import hashlib
import json
import random
import resource
import sys
import time
import zlib

import diskcache


def corpus(folder):
    content = open(folder + "/corpus.bin", "rb").read()
    offset = 0
    for line in open(folder + "/corpus.tsv", encoding="utf-8"):
        id, length, digest, expires, _, title, _ = line.rstrip("\n").split("\t")
        yield id, content[offset : offset + int(length)], digest, int(expires), title
        offset += int(length)


def cpu():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def measured(operations, work):
    wall, began = time.monotonic(), cpu()
    work()
    print(json.dumps({"wall": time.monotonic() - wall, "cpu": cpu() - began, "operations": operations}))


def packed(content):
    deflater = zlib.compressobj(6, zlib.DEFLATED, 31)
    return deflater.compress(content) + deflater.flush()


def opened(state, size=1 << 40):
    return diskcache.Cache(state, size_limit=size, eviction_policy="least-recently-used", cull_limit=0)


def main(workload, folder, state, *more):
    if workload == "list":
        cache = opened(state)
        for id, title, size, expires in cache._sql(
            "SELECT key, tag, size, expire_time FROM Cache"
        ).fetchall():
            print(id, title, size, expires, sep="\t")
        return
    if workload == "get":
        digest, content = opened(state)[more[0]]
        content = zlib.decompress(content, 31)
        assert hashlib.sha256(content).hexdigest() == digest
        sys.stdout.buffer.write(content)
        return
    documents = list(corpus(folder))
    cache = opened(state)

    def fill():
        now = time.time()
        for id, content, _, expires, title in documents:
            cache.set(
                id,
                (hashlib.sha256(content).hexdigest(), packed(content)),
                # What has expired cannot be stored: it expires in a moment.
                expire=max(0.001, expires / 1000 - now),
                tag=title,
            )

    def read():
        for id, _, digest, _, _ in documents:
            content = zlib.decompress(cache[id][1], 31)
            if hashlib.sha256(content).hexdigest() != digest:
                raise ValueError(id)

    def trim():
        cache.cull_limit = len(documents)
        cache.reset("size_limit", cache.volume() // 2)
        cache.reset("cull_limit", 100)
        cache.cull()

    if workload == "read":
        # Half of them have expired.
        documents = [document for document in documents if document[3] > time.time() * 1000]
        random.Random(42).shuffle(documents)
    works = {"fill": fill, "read": read, "trim": trim, "purge": cache.expire}
    measured(len(documents), works[workload])


main(*sys.argv[1:])
