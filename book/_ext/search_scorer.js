/* Orders the results of Sphinx's search: phrases of book/search.toml, lessons, terms, case files, and then the reference. */
var Scorer = {
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
  score([page, , , , score]) {
    if (score >= 50) return 1000 + score; // a phrase: other matches score 26 at most
    const kinds = [
      [/^(isotropy|association|projection|retrieval|report)\/(?!case-)/, 60],
      [/^appendix\/glossary/, 40],
      [/\/case-/, 20],
      [/^reference\//, -60],
    ];
    return score + (kinds.find(([pattern]) => pattern.test(page))?.[1] ?? 0);
  },
};
