// Draws the figures: those of the chosen data set, in the colours of the page.
"use strict";
(() => {
  const figures = JSON.parse(document.getElementById("figures").textContent);
  const places = [...document.querySelectorAll("figure[data-figure]")];
  const buttons = [...document.querySelectorAll(".sets button")];
  const main = document.querySelector("main");
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const narrow = matchMedia("(max-width: 700px)");
  const touch = matchMedia("(pointer: coarse)");
  const printedWidth = 680;  // an A4 page between its margins
  const sets = figures.sets;
  const asked = decodeURIComponent(location.hash.slice(1));
  let chosen = sets.includes(asked) ? asked : sets[0];
  let printing = false;

  const colour = name => getComputedStyle(root).getPropertyValue(name).trim();

  function themed(layout, tall) {
    const copy = structuredClone(layout);
    const small = narrow.matches || printing;
    copy.paper_bgcolor = copy.plot_bgcolor = "rgba(0,0,0,0)";
    copy.font = {family: getComputedStyle(document.body).fontFamily, size: small ? 11 : 13, color: colour("--ink")};
    copy.hoverlabel = {bgcolor: colour("--panel"), bordercolor: colour("--line"), font: {color: colour("--ink")}};
    for (const [name, axis] of Object.entries(copy)) {
      if (!/^[xy]axis/.test(name)) continue;
      Object.assign(axis, {gridcolor: colour("--grid"), linecolor: colour("--line"), zerolinecolor: colour("--grid"),
                           zeroline: false, showline: true});
      if (axis.title && axis.title.text) axis.title.font = {color: colour("--muted"), size: small ? 11 : 13};
    }
    // A finger that moves over a figure scrolls the page.
    if (touch.matches) copy.dragmode = false;
    if (small) (copy.annotations || []).forEach(note => { note.font = {...note.font, size: 10.5}; });
    // Two to a page, below the overview.
    if (printing) Object.assign(copy, {width: printedWidth, height: tall ? 330 : 290});
    else copy.autosize = true;
    return copy;
  }

  function swatch(trace) {
    const line = trace.mode.includes("lines");
    const marker = trace.mode.includes("markers");
    const look = line ? trace.line : trace.marker;
    const own = trace.marker && (trace.marker.line && trace.marker.line.color || trace.marker.color);
    const dashes = {dash: "5 3", dot: "2 2.5", dashdot: "6 2.5 2 2.5", longdash: "8 3"}[line && look.dash] || "";
    const open = marker && /open|thin/.test(trace.marker.symbol);
    const tick = marker && /line-ns/.test(trace.marker.symbol);
    const cross = marker && /^x-thin/.test(trace.marker.symbol);
    const parts = [];
    const {color, width} = look;
    if (line) parts.push(`<path d="M0 7H24" stroke="${color}" stroke-width="${width}" stroke-dasharray="${dashes}"/>`);
    if (tick) parts.push(`<path d="M12 1V13" stroke="${own}" stroke-width="2"/>`);
    else if (cross) parts.push(`<path d="M7 2L17 12M17 2L7 12" stroke="${own}" stroke-width="2"/>`);
    else if (marker) parts.push(shape(trace.marker.symbol, own, open));
    return `<svg width="24" height="14" aria-hidden="true" fill="none">${parts.join("")}</svg>`;
  }

  // The symbols of the figures, as near as a small drawing needs to be.
  function shape(symbol, stroke, open) {
    const paint = open ? `stroke="${stroke}" stroke-width="2"` : `fill="${stroke}"`;
    const polygon = points => `<polygon points="${points}" ${paint}/>`;
    if (/^square/.test(symbol)) return polygon("7,2 17,2 17,12 7,12");
    const dot = /dot/.test(symbol) ? `<circle cx="12" cy="7" r="2" fill="${stroke}"/>` : "";
    if (/^diamond/.test(symbol)) return polygon("12,1 18,7 12,13 6,7") + dot;
    if (/^triangle-up/.test(symbol)) return polygon("12,1 18,12 6,12");
    if (/^triangle-down/.test(symbol)) return polygon("12,13 18,2 6,2");
    if (/^cross/.test(symbol)) return polygon("10,1 14,1 14,5 18,5 18,9 14,9 14,13 10,13 10,9 6,9 6,5 10,5");
    if (/^x/.test(symbol)) return `<g transform="rotate(45 12 7)">${shape("cross", stroke, open)}</g>`;
    if (/^star/.test(symbol)) return polygon("12,0 13.8,4.8 19,5 15,8.2 16.4,13 12,10.2 7.6,13 9,8.2 5,5 10.2,4.8");
    if (/^pentagon/.test(symbol)) return polygon("12,1 18,5.4 15.7,12.5 8.3,12.5 6,5.4");
    if (/^hexagram/.test(symbol)) return polygon("12,0 18,10.3 6,10.3") + polygon("12,14 18,3.7 6,3.7");
    if (/^hexagon/.test(symbol)) return polygon("12,1 17.2,4 17.2,10 12,13 6.8,10 6.8,4");
    if (/^bowtie/.test(symbol)) return polygon("6,2 18,12 18,2 6,12");
    return `<circle cx="12" cy="7" r="5" ${paint}/>`;
  }

  function writeLegend(list, plot, traces) {
    const named = traces.filter(trace => trace.name && trace.showlegend !== false);
    named.sort((a, b) => (a.legendrank ?? 1000) - (b.legendrank ?? 1000));
    list.replaceChildren(...named.map(trace => {
      const button = document.createElement("button");
      button.type = "button";
      button.setAttribute("aria-pressed", "true");
      button.title = "show or hide";
      button.innerHTML = swatch(trace);
      button.append(trace.name);
      button.addEventListener("click", () => {
        const show = button.getAttribute("aria-pressed") === "false";
        button.setAttribute("aria-pressed", show);
        const same = traces.flatMap((other, i) => other.name === trace.name ? [i] : []);
        Plotly.restyle(plot, {visible: show}, same);
      });
      const item = document.createElement("li");
      item.append(button);
      return item;
    }));
  }

  function draw(place) {
    const entry = figures.figures[place.dataset.figure];
    const figure = entry.wide ? entry[narrow.matches && !printing ? "narrow" : "wide"] : entry[chosen];
    const plot = place.querySelector(".plot");
    const missing = place.querySelector(".missing");
    const reason = figure ? figure.missing : "There is nothing of this data set.";
    missing.hidden = !reason;
    missing.textContent = reason || "";
    place.querySelectorAll(".plot, .legend, figcaption").forEach(part => { part.hidden = !!reason; });
    if (reason) return Plotly.purge(plot);
    plot.setAttribute("aria-label", figure.label);
    const traces = structuredClone(figure.data);
    // Names beside the points have no room on a phone; the legend has them.
    if (narrow.matches) traces.forEach(trace => { if (trace.mode) trace.mode = trace.mode.replace("+text", ""); });
    for (const trace of traces.filter(trace => trace.type === "heatmap")) {
      trace.colorscale = [[0, colour("--panel")], [1, colour("--heat")]];
      trace.textfont = {color: colour("--ink")};
    }
    Plotly.react(plot, traces, themed(figure.layout, !!entry.wide), {displayModeBar: false, responsive: true});
    writeLegend(place.querySelector(".legend"), plot, traces);
  }

  // One figure at a time, so that the page can be scrolled meanwhile. What is not yet drawn is busy.
  const pending = new Set();
  let waiting = 0;
  function drawNext() {
    const [place] = pending;
    pending.delete(place);
    if (place) draw(place);
    waiting = pending.size ? setTimeout(drawNext) : 0;
    if (!waiting) main.setAttribute("aria-busy", "false");
  }
  function redraw() {
    places.forEach(place => pending.add(place));
    main.setAttribute("aria-busy", "true");
    if (!waiting) waiting = setTimeout(drawNext);
  }

  function choose(name) {
    chosen = name;
    buttons.forEach(button => button.setAttribute("aria-pressed", button.value === chosen));
    document.querySelectorAll(".set-name").forEach(span => { span.textContent = chosen; });
    document.querySelectorAll("[data-only]").forEach(part => { part.hidden = part.dataset.only !== chosen; });
    redraw();
  }

  buttons.forEach(button => button.addEventListener("click", () => {
    choose(button.value);
    history.replaceState(null, "", "#" + encodeURIComponent(chosen));
  }));
  dark.addEventListener("change", redraw);
  narrow.addEventListener("change", redraw);
  // Paper shows the figures of the chosen data set only: those of all would be three pages for each. The tables, which
  // say the same in numbers, are printed for all.
  function print(on) {
    printing = on;
    root.classList.toggle("printing", on);
    pending.clear();
    places.forEach(draw);
    main.setAttribute("aria-busy", "false");
  }
  addEventListener("beforeprint", () => print(true));
  addEventListener("afterprint", () => print(false));
  choose(chosen);
})();
