# A server that speaks S3, for the tests: moto, as it is, but one request after the other. Amazon's S3 decides each conditional write in one
# step. moto knows the conditions (If-Match, If-None-Match, and If-Match of a DELETE), but looks and writes in two steps, and its own
# server has many threads: there two writers would both find what they expect.

import sys
import threading

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, MotoRequestHandler, create_backend_app
from werkzeug.serving import make_server

lock = threading.Lock()
moto = DomainDispatcherApplication(create_backend_app)


def one_at_a_time(environ, start_response):
    with lock:
        return [b"".join(moto(environ, start_response))]


server = make_server("127.0.0.1", int(sys.argv[1]), one_at_a_time, threaded=True, request_handler=MotoRequestHandler)
print("listening", flush=True)
server.serve_forever()
