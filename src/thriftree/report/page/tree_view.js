// A tree to look at: fold and unfold, zoom and pan, highlight a path, show the numbers of a node.

const MOST_OPEN_LEAVES = 64; // of a tree just shown; more can be unfolded
const ZOOM_STEP = 1.25;

class TreeView {
  /** `which` names the rows of the report, for the cards. */
  constructor(stage, tree, which) {
    this.stage = stage;
    this.tree = tree;
    this.which = which;
    this.path = null;
    this.current = 0;
    this.folded = leavesBelow(tree, 0) > MOST_OPEN_LEAVES ? foldedToFit(tree, MOST_OPEN_LEAVES) : new Set();
    this.scene = svg("g");
    this.canvas = svg("svg", { class: "tree", role: "tree", "aria-label": "The decision tree" }, this.scene);
    this.card = html("div", { class: "node-card", role: "tooltip", hidden: true });
    this.note = html("span", { class: "folded-note", role: "status" });
    stage.replaceChildren(this.toolbar(), html("div", { class: "viewport" }, this.canvas, this.card));
    this.listen();
    this.draw();
    this.fit();
  }

  toolbar() {
    return html(
      "div",
      { class: "toolbar", role: "toolbar", "aria-label": "View of the tree" },
      button("−", "Zoom out", () => this.zoom(1 / ZOOM_STEP)),
      button("+", "Zoom in", () => this.zoom(ZOOM_STEP)),
      button("Fit", "Fit the tree to the page", () => this.fit(0)),
      button("Unfold all", "Unfold all nodes", () => this.refold(new Set())),
      button("Fold all", "Fold all but the first questions", () => this.foldAll()),
      this.note,
    );
  }

  // --- drawing ---------------------------------------------------------------------------------------------------

  draw() {
    this.layout = layoutOf(this.tree, this.folded);
    const boxes = [...this.layout.boxes.values()];
    if (!this.layout.boxes.has(this.current)) this.current = 0;
    this.groups = new Map();
    const edges = boxes.filter((box) => box.parent !== null).map((box) => this.edge(box));
    const labels = boxes.filter((box) => box.parent !== null).map((box) => this.answer(box));
    const nodes = boxes.map((box) => this.node(box));
    this.scene.replaceChildren(...edges, ...labels, ...nodes);
    const hidden = leavesBelow(this.tree, 0) - boxes.filter((box) => !this.tree.nodes[box.number].children).length;
    this.note.textContent = hidden > 0 ? `${plural(hidden, "leaf is", "leaves are")} folded away` : "";
    this.mark();
  }

  edge(box) {
    const parent = this.layout.boxes.get(box.parent);
    const share = this.tree.nodes[box.number].rows / Math.max(this.tree.nodes[0].rows, 1);
    const from = parent.x + parent.width;
    const { bend: turn } = this.layout.style;
    const [bend, level] = [from + turn / 2, from + turn]; // beyond the bend the line is level, below its answer
    const path = `M${from},${parent.y} C${bend},${parent.y} ${bend},${box.y} ${level},${box.y} H${box.x}`;
    return svg("path", { class: "edge", d: path, "stroke-width": (1 + 9 * share).toFixed(2), "data-to": box.number });
  }

  answer(box) {
    const y = box.y - 4 - (4 * this.tree.nodes[box.number].rows) / Math.max(this.tree.nodes[0].rows, 1);
    const made = svg("text", { class: "answer", x: box.x - 6, y, "text-anchor": "end", "data-to": box.number }, box.answer);
    made.append(svg("title", {}, this.tree.nodes[box.parent].answers[box.branch]));
    return made;
  }

  node(box) {
    const { number: id } = box;
    const inner = Boolean(this.tree.nodes[id].children);
    const group = svg("g", {
      class: `node ${box.open ? "question" : "verdict"}`,
      transform: `translate(${box.x},${box.y - box.height / 2})`,
      role: "treeitem",
      tabindex: id === this.current ? 0 : -1,
      "data-node": id,
      "aria-label": nodeLabel(this.tree, id),
      "aria-level": box.depth + 1,
      "aria-expanded": inner ? String(box.open) : null,
    });
    group.append(svg("rect", { class: "box", width: box.width, height: box.height, rx: box.open ? 5 : box.height / 2 > 14 ? 8 : 7 }));
    if (box.open) this.drawQuestion(group, box);
    else this.drawVerdict(group, box);
    if (inner) this.drawHandle(group, box);
    this.groups.set(id, group);
    return group;
  }

  drawQuestion(group, box) {
    const { style } = this.layout;
    const node = this.tree.nodes[box.number];
    const baseline = style.pad + style.size * 0.95;
    box.lines.forEach((line, i) => {
      group.append(svg("text", { class: "ask", x: 10, y: baseline + i * style.line, "font-size": style.size }, line));
    });
    if (style.roomy) {
      const price = /^(paid|free)$/.test(node.price) ? node.price : `costs ${node.price}`;
      const words = this.tree.priced ? price : plural(node.rows, "row");
      const y = baseline + box.lines.length * style.line - 1;
      group.append(svg("text", { class: "small", x: 10, y, "font-size": style.small }, shortened(words, box.width - 14, style.small)));
    }
  }

  drawVerdict(group, box) {
    const { style } = this.layout;
    const { roomy } = style;
    const left = 9 + BAR_WIDTH + 8;
    const baseline = style.pad + style.size * 0.92;
    this.drawBar(group, box, 9, (box.height - (roomy ? 14 : 10)) / 2, roomy ? 14 : 10);
    group.append(svg("text", { class: "said", x: left, y: baseline, "font-size": style.size }, box.said));
    const after = left + textWidth(box.said, style.size, 600) + 8;
    group.append(svg("text", { class: "certainty", x: after, y: baseline, "font-size": style.size }, box.certainty));
    const detail = roomy ? { x: left, y: baseline + style.line - 1 } : { x: left + box.first + 10, y: baseline };
    group.append(svg("text", { class: "small", ...detail, "font-size": style.small }, box.detail));
  }

  /** The classes' shares side by side; for a number, where the mean lies between the leaves' least and largest. */
  drawBar(group, box, x, y, height) {
    const node = this.tree.nodes[box.number];
    group.append(svg("rect", { class: "bar-back", x, y, width: BAR_WIDTH, height, rx: 2 }));
    if (node.label === undefined) {
      const [low, high] = this.meanRange();
      const at = high > low ? (node.mean - low) / (high - low) : 0.5;
      const spread = high > low ? node.deviation / (high - low) : 0;
      const [from, to] = [Math.max(at - spread, 0), Math.min(at + spread, 1)];
      group.append(svg("rect", { x: x + from * BAR_WIDTH, y: y + height / 2 - 1, width: (to - from) * BAR_WIDTH, height: 2, fill: GREY }));
      group.append(svg("rect", { x: x + at * (BAR_WIDTH - 4), y, width: 4, height, fill: BLUE, rx: 1 }));
      return;
    }
    if (!node.total) return;
    let from = x;
    for (const [k, weight] of [...node.shares].sort((a, b) => a[0] - b[0])) {
      const width = (BAR_WIDTH * weight) / node.total;
      group.append(svg("rect", { x: from, y, width, height, fill: this.tree.colours[k] }));
      from += width;
    }
  }

  meanRange() {
    if (!this.range) {
      const means = this.tree.nodes.filter((node) => !node.children).map((node) => node.mean);
      this.range = [Math.min(...means), Math.max(...means)];
    }
    return this.range;
  }

  drawHandle(group, box) {
    const sign = box.open ? "M-3.2,0 H3.2" : "M-3.2,0 H3.2 M0,-3.2 V3.2";
    group.append(
      svg("g", { class: "handle", transform: `translate(${box.width},${box.height / 2})` }, svg("circle", { r: 6.5 }), svg("path", { d: sign })),
    );
  }

  // --- folding ---------------------------------------------------------------------------------------------------

  refold(folded) {
    this.folded = folded;
    this.hideCard();
    this.draw();
    this.fit();
  }

  foldAll() {
    const folded = new Set();
    this.tree.nodes.forEach((node, number) => node.children && number > 0 && folded.add(number));
    this.refold(folded);
  }

  toggle(number) {
    if (!this.tree.nodes[number].children) return;
    const before = this.layout.boxes.get(number);
    if (this.folded.has(number)) this.folded.delete(number);
    else this.folded.add(number);
    this.draw();
    const after = this.layout.boxes.get(number);
    this.move((before.x - after.x) * this.scale, (before.y - after.y) * this.scale); // the node stays where it was
    this.grow();
  }

  // --- zoom and pan ----------------------------------------------------------------------------------------------

  get viewWidth() {
    return this.canvas.clientWidth || 1160;
  }

  /** The whole width, but not smaller than text can be read; `least` 0 shows all of it however small. */
  fit(least = 0.72) {
    const margin = 12;
    const wide = (this.viewWidth - 2 * margin) / this.layout.width;
    const high = least ? 1 : (this.canvas.clientHeight - 2 * margin) / this.layout.height;
    this.scale = Math.max(Math.min(1, wide, high), least);
    this.offset = [margin, margin - this.layout.top * this.scale];
    if (least) this.grow();
    const slack = this.canvas.clientHeight - 2 * margin - this.layout.height * this.scale;
    this.offset[1] += Math.max(slack / 2, 0);
    this.place();
  }

  /** Makes room for the tree, within reason. */
  grow() {
    const wanted = this.layout.height * this.scale + 24;
    this.canvas.style.height = `${Math.min(Math.max(wanted, 180), 1500)}px`;
    this.place();
  }

  zoom(factor, at = [this.viewWidth / 2, this.canvas.clientHeight / 2]) {
    const scale = Math.min(Math.max(this.scale * factor, 0.1), 4);
    this.offset = this.offset.map((side, i) => at[i] - ((at[i] - side) * scale) / this.scale);
    this.scale = scale;
    this.place();
  }

  move(right, down) {
    this.offset = [this.offset[0] + right, this.offset[1] + down];
    this.place();
  }

  place() {
    this.scene.setAttribute("transform", `translate(${this.offset[0]},${this.offset[1]}) scale(${this.scale})`);
  }

  // --- paths and cards -------------------------------------------------------------------------------------------

  /** Highlights a path, unfolding what hides it; null for none. */
  follow(path) {
    this.path = path;
    if (path) {
      const hidden = path.filter((number) => this.folded.has(number));
      if (hidden.length) {
        hidden.forEach((number) => this.folded.delete(number));
        this.draw();
        this.fit();
      }
    }
    this.mark();
  }

  mark() {
    const on = new Set(this.path || []);
    this.canvas.classList.toggle("following", Boolean(this.path));
    for (const element of this.scene.children) {
      const id = Number(element.dataset.node ?? element.dataset.to);
      element.classList.toggle("on-path", on.has(id));
    }
  }

  showCard(number) {
    const box = this.layout.boxes.get(number);
    this.card.replaceChildren(...nodeCard(this.tree, this.which, number));
    this.card.hidden = false;
    const [x, y] = [box.x * this.scale + this.offset[0], (box.y + box.height / 2) * this.scale + this.offset[1] + 6];
    const left = Math.min(Math.max(x, 0), Math.max(this.viewWidth - this.card.offsetWidth, 0));
    const above = y - box.height * this.scale - 12 - this.card.offsetHeight;
    this.card.style.left = `${left}px`;
    this.card.style.top = `${y + this.card.offsetHeight > this.canvas.clientHeight && above > 0 ? above : y}px`;
  }

  hideCard() {
    this.card.hidden = true;
  }

  // --- mouse, touch and keys -------------------------------------------------------------------------------------

  listen() {
    const nodeOf = (event) => {
      const group = event.target.closest("[data-node]");
      return group ? Number(group.dataset.node) : null;
    };
    this.canvas.addEventListener("click", (event) => {
      const number = nodeOf(event);
      if (number === null || this.dragged) return;
      this.focus(number);
      this.toggle(number);
    });
    this.canvas.addEventListener("pointerover", (event) => {
      const number = nodeOf(event);
      if (number === null) this.hideCard();
      else if (!this.drag) this.showCard(number);
    });
    this.canvas.addEventListener("pointerleave", () => this.hideCard());
    this.canvas.addEventListener("focusin", (event) => {
      const number = nodeOf(event);
      if (number !== null && event.target.matches(":focus-visible")) this.showCard(number);
    });
    this.canvas.addEventListener("focusout", () => this.hideCard());
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        if (!event.ctrlKey) return; // without Ctrl the page scrolls
        event.preventDefault();
        const area = this.canvas.getBoundingClientRect();
        this.zoom(Math.exp(-event.deltaY / 300), [event.clientX - area.left, event.clientY - area.top]);
      },
      { passive: false },
    );
    this.listenToDrags();
  }

  listenToDrags() {
    this.canvas.addEventListener("pointerdown", (event) => {
      this.drag = event.button === 0 ? [event.clientX, event.clientY] : null;
      this.dragged = false;
    });
    window.addEventListener("pointermove", (event) => {
      if (!this.drag) return;
      const [right, down] = [event.clientX - this.drag[0], event.clientY - this.drag[1]];
      if (!this.dragged && Math.hypot(right, down) < 4) return;
      this.dragged = true;
      this.hideCard();
      this.drag = [event.clientX, event.clientY];
      this.move(right, down);
    });
    window.addEventListener("pointerup", () => {
      this.drag = null;
    });
  }

  focus(number) {
    this.groups.get(this.current)?.setAttribute("tabindex", -1);
    this.current = number;
    const group = this.groups.get(number);
    group.setAttribute("tabindex", 0);
    group.focus({ preventScroll: true });
  }

  onKey(event) {
    const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[event.key];
    const act = {
      "+": () => this.zoom(ZOOM_STEP),
      "=": () => this.zoom(ZOOM_STEP),
      "-": () => this.zoom(1 / ZOOM_STEP),
      0: () => this.fit(),
      Enter: () => this.toggleFocused(),
      " ": () => this.toggleFocused(),
      Escape: () => this.hideCard(),
    }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey || !(step || act)) return;
    event.preventDefault();
    if (act) act();
    else if (event.shiftKey) this.move(...step);
    else this.focusNext(event.key);
  }

  toggleFocused() {
    this.toggle(this.current);
    this.focus(this.current);
  }

  /** Right: the first answer; left: back; up and down: the nodes above and below. */
  focusNext(key) {
    const shown = [...this.layout.boxes.keys()];
    const box = this.layout.boxes.get(this.current);
    const next = {
      ArrowRight: box.open ? this.tree.nodes[this.current].children[0] : null,
      ArrowLeft: box.parent,
      ArrowUp: shown[shown.indexOf(this.current) - 1],
      ArrowDown: shown[shown.indexOf(this.current) + 1],
    }[key];
    if (next !== null && next !== undefined) this.focus(next);
  }
}
