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
    this.fitAgainWhereThePageIsResized();
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

  // --- drawing ---------------------------------------------------------------------------------------------

  draw() {
    this.layout = layoutOf(this.tree, this.folded);
    const boxes = [...this.layout.boxes.values()];
    if (!this.layout.boxes.has(this.current)) this.current = 0;
    this.groups = new Map();
    const below = boxes.filter((box) => box.parent !== null);
    for (const box of boxes) this.groups.set(box.number, drawNode(this.tree, this.layout, box));
    this.groups.get(this.current).setAttribute("tabindex", 0);
    this.scene.replaceChildren(
      ...below.map((box) => drawLine(this.tree, this.layout, box)),
      ...below.map((box) => drawAnswer(this.tree, box)),
      ...this.groups.values(),
    );
    const hidden =
      leavesBelow(this.tree, 0) - boxes.filter((box) => !this.tree.nodes[box.number].children).length;
    this.note.textContent = hidden > 0 ? `${plural(hidden, "leaf is", "leaves are")} folded away` : "";
    this.mark();
  }

  // --- folding ---------------------------------------------------------------------------------------------

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
    // The node stays where it was.
    this.move((before.x - after.x) * this.scale, (before.y - after.y) * this.scale);
    this.grow();
  }

  // --- zoom and pan ----------------------------------------------------------------------------------------

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

  fitAgainWhereThePageIsResized() {
    let width = this.viewWidth;
    new ResizeObserver(() => {
      if (this.viewWidth === width || !this.canvas.clientWidth) return;
      width = this.viewWidth;
      this.hideCard();
      this.fit();
      // What people look at stays in view.
      const focused = this.canvas.contains(document.activeElement) ? this.current : null;
      const kept = this.path?.at(-1) ?? focused;
      if (this.layout.boxes.has(kept)) this.reveal(kept);
    }).observe(this.canvas);
  }

  /** Moves the view as little as shows a node. */
  reveal(number) {
    const box = this.layout.boxes.get(number);
    const ends = [
      [box.x, box.x + box.width, this.viewWidth],
      [box.y - box.height / 2, box.y + box.height / 2, this.canvas.clientHeight],
    ];
    const margin = 12;
    const [right, down] = ends.map(([low, high, room], i) => {
      const [from, to] = [low, high].map((end) => end * this.scale + this.offset[i]);
      if (from < margin) return margin - from;
      // What is wider than the view shows its beginning.
      return to > room - margin ? Math.max(room - margin - to, margin - from) : 0;
    });
    if (right || down) this.move(right, down);
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
    this.scene.setAttribute(
      "transform",
      `translate(${this.offset[0]},${this.offset[1]}) scale(${this.scale})`,
    );
  }

  // --- paths and cards -------------------------------------------------------------------------------------

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
      this.reveal(path.at(-1));
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
    const [x, y] = [
      box.x * this.scale + this.offset[0],
      (box.y + box.height / 2) * this.scale + this.offset[1] + 6,
    ];
    const left = Math.min(Math.max(x, 0), Math.max(this.viewWidth - this.card.offsetWidth, 0));
    const above = y - box.height * this.scale - 12 - this.card.offsetHeight;
    this.card.style.left = `${left}px`;
    this.card.style.top = `${y + this.card.offsetHeight > this.canvas.clientHeight && above > 0 ? above : y}px`;
  }

  hideCard() {
    this.card.hidden = true;
  }

  // --- mouse, touch and keys -------------------------------------------------------------------------------

  listen() {
    const nodeOf = (event) => {
      const group = event.target.closest("[data-node]");
      return group ? Number(group.dataset.node) : null;
    };
    this.canvas.addEventListener("click", (event) => {
      const number = nodeOf(event);
      if (number === null || this.dragged) return;
      this.toggle(number);
      this.focus(number);
      this.showCard(number); // a finger cannot point without a tap
    });
    this.canvas.addEventListener("pointerover", (event) => {
      const number = nodeOf(event);
      if (number === null) this.hideCard();
      else if (!this.drag) this.showCard(number);
    });
    this.canvas.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse") this.hideCard(); // a finger that is lifted leaves, too
    });
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
      if (event.buttons === 0) this.drag = null; // let go outside of the window
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
    const step = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[
      event.key
    ];
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
    if (next === null || next === undefined) return;
    this.reveal(next);
    this.focus(next);
  }
}
