"""The error answers of the service, each shape once. Source: docs/service.md, section 7."""

from starlette.requests import Request
from starlette.responses import Response

from .http import NO_CACHE, Halt, encode, refusal, respond, wants_json

RESCUED_JSON = "application/json; charset=UTF-8"
RESCUED_HTML = "text/html; charset=UTF-8"
XML_406 = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n<hash>\n  <status type="integer">406</status>\n'
    b"  <error>Not Acceptable</error>\n</hash>\n"
)
Problem = tuple[str, str]
"""An attribute, and the whole sentence about what is wrong with it."""

REASONS = {400: "Bad Request", 404: "Not Found", 406: "Not Acceptable", 500: "Internal Server Error"}
PAGE_TITLES = {
    404: "The page you were looking for doesn't exist (404)",
    500: "We're sorry, but something went wrong (500)",
}


def not_found() -> Halt:
    """A row that is not there, or not in this portal."""
    return Halt(refusal(404, {"error": "Resource could not be found"}))


def crashed() -> Halt:
    """An exception inside the API: the service answers 500 where others would say 404 or 422."""
    return _rescued(500)


def no_feature() -> Halt:
    """A route whose code is not there."""
    return _rescued(404)


def _rescued(status: int) -> Halt:
    return Halt(respond(status, encode({"status": status, "error": REASONS[status]}), RESCUED_JSON))


def missing_root(root: str) -> Halt:
    """A body without anything of the resource in it."""
    return Halt(refusal(422, {"error": f"param is missing or the value is empty: {root}"}))


def invalid(problems: list[Problem]) -> Halt:
    """Validation failed."""
    attributes = list(dict.fromkeys(attribute for attribute, _ in problems))
    return Halt(refusal(422, {"message": _sentences(problems), "attributes": attributes}))


def invalid_draft(problems: list[Problem]) -> Halt:
    """Validation of a PATCH of staged changes alone failed: the attributes are not named (S111)."""
    return Halt(refusal(422, {"message": _sentences(problems)}))


def invalid_bulk(problems: list[Problem]) -> Halt:
    """Validation of one article of a bulk action failed; which one is not said (S129)."""
    return Halt(refusal(422, {"error": f"Validation failed: {_sentences(problems)}"}))


def _sentences(problems: list[Problem]) -> str:
    return ", ".join(sentence for _, sentence in problems)


def without_api() -> Halt:
    """The account's plan has no API access (S141)."""
    return Halt(refusal(403, {"error": "API access is not enabled for this account"}))


def unauthorized(message: str) -> Halt:
    """Errors of roles are 401, never 403."""
    return Halt(refusal(401, {"error": message}))


def not_signed_in() -> Halt:
    """No token at all: the other shape of 401."""
    return Halt(refusal(401, {"errors": ["You need to sign in or sign up before continuing."]}))


def malformed(request: Request) -> Halt:
    """A body or query string that cannot be read; answered before the token is looked at."""
    return _rescued(400) if wants_json(request) else bare(400)


def bare(status: int) -> Halt:
    """An error of the web server without a body."""
    return Halt(respond(status, kind=RESCUED_HTML))


def not_acceptable_xml() -> Halt:
    """A path that ends in .xml."""
    return Halt(respond(406, XML_406, "application/xml; charset=UTF-8"))


def error_page(request: Request, status: int) -> Halt:
    """The installation's own page for 404 and 500, outside of any portal."""
    if wants_json(request):
        return _rescued(status)
    title = PAGE_TITLES[status]
    page = f"<!DOCTYPE html>\n<html>\n<head><title>{title}</title></head>\n<body><h1>{title}</h1></body>\n</html>\n"
    return Halt(respond(status, page, RESCUED_HTML))


def throttled() -> Response:
    """429 as the throttle writes it: plain text, no Retry-After."""
    return respond(429, b"Retry later\n", "text/plain", NO_CACHE)


def unregistered_domain(host: str) -> Halt:
    """A public page under an unknown host name."""
    message = (
        f"Domain: {host} is not registered with us.       Please send us an email at "
        "support@chatwoot.com with the custom domain name and account API key"
    )
    return Halt(refusal(401, {"error": message}))
