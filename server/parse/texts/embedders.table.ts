// The texts about the members of an embedder.
import type { Texts } from './text.ts'

const FRAGMENT_TEXTS: Texts = {
  value: 'JSON with templates, which replaces `{{fragment}}` in `request`.',
}

const COMMON: Texts = {
  source: 'Where the model runs and how it is called.',
  model: 'Name of the model.',
  revision: 'For `huggingFace`: the revision of the model.',
  pooling:
    'For `huggingFace`: how the vectors of tokens become one vector; `useModel` follows the configuration of the model.',
  apiKey: 'The key of the provider. Answers show it masked.',
  dimensions:
    'The number of dimensions of a vector, at most 65,536. Required for `userProvided` and fragments; otherwise the server asks the model.',
  binaryQuantized:
    'True keeps four bits of each number. Vectors take an eighth of the space, and similarities are less exact. This cannot be undone.',
  documentTemplate:
    'The text of a document, as a Liquid template with `doc` and `fields`. If absent, the text has all searchable fields.',
  documentTemplateMaxBytes: 'The largest number of bytes of this text. The rest is cut off.',
  url: 'The address of the provider.',
  indexingFragments: {
    about: 'Parts of a document, by name; each part has a vector. Needs the feature `multimodal`.',
    members: FRAGMENT_TEXTS,
  },
  searchFragments: {
    about:
      'Parts of a search that can have a vector, by name. Exactly one part has to fit a search. Needs the feature `multimodal`.',
    members: FRAGMENT_TEXTS,
  },
  request:
    'For `rest`: the body of a request, with `{{text}}` or `{{fragment}}` in place of the input. `{{..}}` stands behind an element that is repeated.',
  response: 'For `rest`: the body of an answer, with `{{embedding}}` in place of the vector.',
  headers: 'For `rest`: headers of each request.',
  distribution: {
    about: 'Rescales similarities to scores that are comparable with scores by words.',
    members: {
      mean: 'The mean of the similarities of this model, 0 to 1.',
      sigma: 'The standard deviation of the similarities, above 0 and at most 1.',
    },
  },
}

export const EMBEDDER_TEXTS: Texts = {
  ...COMMON,
  searchEmbedder: {
    about: 'For `composite`: the embedder of queries.',
    members: COMMON,
  },
  indexingEmbedder: {
    about: 'For `composite`: the embedder of documents.',
    members: COMMON,
  },
}
