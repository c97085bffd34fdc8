"""Stores of S3 that the programs beside this file ask, hosts over them, and the tests that they are sent."""
import datetime
import hashlib
import hmac
import http.client
import json
import os
import pathlib
import sys
import time
import urllib.parse
import uuid

from hosts import NAME, free_port, start, wait_for

CACHES = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
MOTO = pathlib.Path(os.environ.get("QUIRE_MOTO") or f"{CACHES}/quire/moto/bin/moto_server")

# moto with one thread, since with several it lets two writers make one object; it counts what it is asked for.
COUNTING_MOTO = """
import json
import werkzeug.serving as serving
run = serving.run_simple
counts = {}
def counting(app):
    def answer(request, respond):
        if request["PATH_INFO"] == "/counts":
            text = json.dumps(counts).encode()
            counts.clear()
            respond("200 OK", [("Content-Type", "application/json"), ("Content-Length", str(len(text)))])
            return [text]
        kind = request["REQUEST_METHOD"]
        if kind == "GET" and "list-type=2" in request.get("QUERY_STRING", ""):
            kind = "LIST"
        counts[kind] = counts.get(kind, 0) + 1
        return app(request, respond)
    return answer
def serve(host, port, app, **named):
    run(host, port, counting(app), **{**named, "threaded": False})
serving.run_simple = serve
from moto.server import main
main()
"""


class Connection:
    """Requests one after the other on one connection."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=3600)

    def request(self, method, path, body=None, fields=None):
        for is_last in (False, True):
            try:
                self.connection.request(method, path, body, fields or {})
                reply = self.connection.getresponse()
                data = reply.read()
                break
            except (http.client.RemoteDisconnected, ConnectionResetError):
                # Closed while it was not used.
                self.connection.close()
                if is_last:
                    raise
        if reply.status >= 300:
            sys.exit(f"{NAME}: {method} {path} was answered with {reply.status}: {data[:300]!r}")
        return data

    def close(self):
        self.connection.close()


class Store:
    """A store of S3 and a bucket in it: the one that the environment names, as `.ci/ceph` does, or else a moto of its own."""

    def __init__(self):
        self.process, self.bucket = None, os.environ.get("QUIRE_S3_BUCKET")
        if self.bucket:
            self.environment = dict(os.environ)
            self.port = urllib.parse.urlsplit(os.environ["AWS_ENDPOINT_URL"]).port
            self.name = "the store that the environment names"
            return
        self.name, self.bucket, self.port = "moto, one request at a time", "quire", free_port()
        python = MOTO.resolve().parent / "python"
        if not python.exists():
            sys.exit(f"{NAME}: moto is not installed: run .ci/deps tests")
        self.process = start([str(python), "-c", COUNTING_MOTO, "-H", "127.0.0.1", "-p", str(self.port)])
        wait_for(self.port, self.process, "moto")
        self.environment = {
            **os.environ, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{self.port}", "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing"}
        self.request("PUT", "")

    def signed(self, method, path, body):
        """The fields of a signed request (Amazon, “Signature Version 4”)."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
        content = hashlib.sha256(body or b"").hexdigest()
        fields = {"host": f"127.0.0.1:{self.port}", "x-amz-content-sha256": content, "x-amz-date": now}
        names = ";".join(fields)
        canonical = "\n".join([method, path, "", *(f"{name}:{value}" for name, value in fields.items()), "", names, content])
        scope = f"{now[:8]}/{self.environment['AWS_REGION']}/s3/aws4_request"
        text = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        key = f"AWS4{self.environment['AWS_SECRET_ACCESS_KEY']}".encode()
        for part in [*scope.split("/"), text]:
            key = hmac.digest(key, part.encode(), "sha256")
        return {**fields, "Authorization": f"AWS4-HMAC-SHA256 Credential={self.environment['AWS_ACCESS_KEY_ID']}/{scope}, "
                                           f"SignedHeaders={names}, Signature={key.hex()}"}

    def request(self, method, name, body=None, connection=None):
        """A request for an object of the bucket; for the bucket where the name is empty."""
        path = f"/{self.bucket}" + (f"/{name}" if name else "")
        own = connection or Connection(self.port)
        try:
            return own.request(method, path, body, self.signed(method, path, body))
        finally:
            if not connection:
                own.close()

    def counts(self):
        """What moto was asked for since the last call; nothing is known of another store."""
        if not self.process:
            return {}
        connection = Connection(self.port)
        try:
            return json.loads(connection.request("GET", "/counts"))
        finally:
            connection.close()

    def stop(self):
        if self.process:
            self.process.kill()
            self.process.wait()


def make_test(digest, person=None):
    """A test of twenty answers, about 1.1 KB: its id, and its bytes."""
    test = {
        "id": str(uuid.uuid4()), "deviceId": "device", "sequence": 1,
        "questionnaire": {"id": "course", "title": "A course", "digest": digest},
        "dateStarted": "2026-11-28T08:00:00Z", "dateFinished": "2026-11-28T08:30:00Z",
        "answers": [{"questionId": f"q{number}", "answer": "Oslo"} for number in range(1, 21)]}
    if person is not None:
        test["person"] = {"id": f"p{person}", "name": f"Person {person}", "group": "7b"}
    return test["id"], json.dumps(test).encode()


def write_questionnaire(folder, name, **more):
    (folder / f"{name}.json").write_text(json.dumps({
        "id": name, "title": "A course", "answerKey": {f"q{number}": "Oslo" for number in range(1, 21)},
        "questions": [
            {"id": f"q{number}", "text": f"{number}?", "options": ["Oslo", "Paris", "Rome", "Wien"]} for number in range(1, 21)],
        **more}))


def timed(work):
    start = time.monotonic()
    result = work()
    return time.monotonic() - start, result
