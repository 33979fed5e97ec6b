// The texts about the members of an embedder.
import type { Texts } from './text.ts'

const FRAGMENT_TEXTS: Texts = {
  value: 'JSON with templates, which stands for `{{fragment}}` in `request`.',
}

const COMMON: Texts = {
  source: 'The kind of model: where it runs, and how it is called.',
  model: 'Name of the model.',
  revision: 'Of `huggingFace`: the revision of the model.',
  pooling:
    'Of `huggingFace`: how the vectors of tokens become one vector; `useModel` asks the configuration of the model.',
  apiKey: 'The key of the provider. Answers show it masked.',
  dimensions:
    'The numbers of a vector. Needed for `userProvided` and fragments; for the others the model is asked.',
  binaryQuantized:
    'True keeps four bits of each number: an eighth of the space, similarities that are less exact. It cannot be undone.',
  documentTemplate:
    'The text of a document, as a Liquid template with `doc` and `fields`. All searchable fields if absent.',
  documentTemplateMaxBytes: 'The bytes of that text; the rest is cut off.',
  url: 'The address of the provider.',
  indexingFragments: {
    about:
      'Parts of a document that get a vector each, by name. It needs the feature `multimodal`.',
    members: FRAGMENT_TEXTS,
  },
  searchFragments: {
    about:
      'Parts of a search that can get a vector, by name: exactly one has to fit a search. It needs the feature `multimodal`.',
    members: FRAGMENT_TEXTS,
  },
  request:
    'Of `rest`: the body of a request, with `{{text}}` or `{{fragment}}` in place of the input and `{{..}}` behind an element that is repeated.',
  response: 'Of `rest`: the body of an answer, with `{{embedding}}` in place of the vector.',
  headers: 'Of `rest`: headers of each request.',
  distribution: {
    about: 'Rescales similarities to scores, which makes them comparable with those of words.',
    members: {
      mean: 'The mean of the similarities that the model gives, 0 to 1.',
      sigma: 'Their standard deviation, above 0 and at most 1.',
    },
  },
}

export const EMBEDDER_TEXTS: Texts = {
  ...COMMON,
  searchEmbedder: {
    about: 'Of `composite`: the embedder of queries.',
    members: COMMON,
  },
  indexingEmbedder: {
    about: 'Of `composite`: the embedder of documents.',
    members: COMMON,
  },
}
