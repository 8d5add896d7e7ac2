"""Quotes a link as a site does that knows no more than oEmbed: quote.py URL [MAXWIDTH]

It discovers the address of the oEmbed in the page (https://oembed.com/#section4), has micawber request it, and prints the
answer as JSON.
"""

import json
import re
import sys
from html.parser import HTMLParser
from urllib.request import urlopen

from micawber import Provider, ProviderRegistry


class Discovery(HTMLParser):
    """Finds the address of the oEmbed."""

    address = None

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "link" and attributes.get("rel") == "alternate" and attributes.get("type") == "application/json+oembed":
            self.address = attributes["href"]


url, *sizes = sys.argv[1:]
discovery = Discovery()
with urlopen(url) as page:
    discovery.feed(page.read().decode())
if discovery.address is None:
    sys.exit(f"{url} has no oEmbed")
registry = ProviderRegistry()
# micawber adds the parameters, of which the address has `url` already.
registry.register(re.escape(url), Provider(discovery.address.split("?")[0]))
print(json.dumps(registry.request(url, **{"maxwidth": int(size) for size in sizes})))
