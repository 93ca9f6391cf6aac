// The start: the facts are read, and every part of the page is given its own.

const facts = JSON.parse(document.getElementById("facts").textContent);
const at = (id) => document.getElementById(id);
const page = { facts };

function start() {
  const { tree } = facts;
  page.view = new TreeView(at("tree-stage"), tree, facts.rows.which);
  page.follower = new Follower(at("follow"), tree, facts.sample, page.view);
  page.questionnaire = new Questionnaire(at("questionnaire"), tree);
  if (facts.classes) {
    if (facts.classes.ranking) at("roc").append(rocChart(facts.classes.ranking, tree.colours));
    at("promises").append(promiseChart(facts.classes.promises));
  } else at("errors").append(errorChart(facts.numbers, at("errors").clientWidth || undefined));
  at("paid").append(priceChart(facts.paid, tree.priced));
  if (facts.frontier) page.frontier = new FrontierView(at("frontier-view"), facts.frontier, tree);
  at("print").addEventListener("click", printSheet);
  window.addEventListener("hashchange", showSheetIfAsked);
  showSheetIfAsked();
}

/** Prints the sheet alone: the tree, its figures and its prices on one page. */
function printSheet() {
  document.documentElement.classList.add("sheet-only");
  window.print();
  showSheetIfAsked();
}

/** At `report.html#one-page` the page is the sheet alone. */
function showSheetIfAsked() {
  document.documentElement.classList.toggle("sheet-only", window.location.hash === "#one-page");
}

start();
window.thriftree = { page, answerOf, branchOf, pathOf, paidAt, layoutOf, MISSING, OTHER };
