// How is a step named in an address? Pure functions, there and back.
(() => {
  "use strict";

  // "#a%20b" -> "a b"; what is no encoded text, as "#%", names nothing.
  function decode(hash) {
    try {
      return decodeURIComponent(hash.replace(/^#/, ""));
    } catch {
      return "";
    }
  }

  // "#fig-probes/split_k,cold/loads_only" -> { id, key, slug }. Without choices the middle part is absent; a driver may
  // add a query: "#fig-fragment/fire?thread=5".
  function parseLink(hash) {
    const [path, query = ""] = decode(hash).split("?");
    const [id, ...rest] = path.split("/");
    if (!id.startsWith("fig-")) return null;
    return { id, key: rest.length > 1 ? rest[0] : null, slug: rest.at(-1) ?? null, query };
  }

  function formatLink(id, key, slug, query) {
    return `#${[id, key, slug].filter(Boolean).join("/")}${query ? `?${query}` : ""}`;
  }

  window.Rungbook.links = { decode, parse: parseLink, format: formatLink };
})();
