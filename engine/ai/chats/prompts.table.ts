// The default prompts for a model: how to behave, what the search tool is for, and what each of its
// parameters holds.
export const CHAT_PROMPTS = [
  'system',
  'searchDescription',
  'searchQParam',
  'searchFilterParam',
  'searchIndexUidParam',
] as const
export type ChatPrompt = (typeof CHAT_PROMPTS)[number]

export const DEFAULT_PROMPTS: { readonly [name in ChatPrompt]: string } = {
  system: [
    'You answer questions from the documents of a search engine. Before you answer, search: ',
    'several short queries that look at the question from different sides find more than one ',
    'long query. Say in one sentence what you are going to search for, each time you do. Base ',
    'the answer on what was found, name the documents it comes from, and say so when nothing ',
    'was found. Put words into `q` and conditions into `filter`; leave empty what you do not ',
    'need. In filters, equality is written with `=`. When a search is refused, read the error, ',
    'correct the request and search again.',
  ].join(''),
  searchDescription: [
    'Searches one index for documents. Example: for "red shoes under 50 euros", in an index ',
    'whose filterable fields are `color` and `price`, use q: "shoes" and ',
    'filter: "color = red AND price < 50".',
  ].join(''),
  searchQParam: [
    'The words to search for. A few words that documents are likely to contain work better ',
    'than a sentence. Empty: all documents that pass the filter.',
  ].join(''),
  searchFilterParam: [
    'Conditions on fields, joined by `AND`, `OR` and `NOT`, with parentheses where needed. ',
    'A condition compares a field with a value (`=`, `!=`, `<`, `<=`, `>`, `>=`, `TO`, `IN`), ',
    'or asks whether the field is there (`EXISTS`, `IS NULL`, `IS EMPTY`). Text with blanks is ',
    'quoted. Empty: no condition. Fields that can be filtered on, with some of their values: ',
  ].join(''),
  searchIndexUidParam: [
    'The name of the index to search: the one whose description fits the question best.',
  ].join(''),
}
