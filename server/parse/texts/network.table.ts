// The texts about the network of instances: its changes, and the calls between instances.

import { SEARCH_TEXTS } from './search.table.ts'
import {
  FEDERATION_TEXTS,
  LISTED_SEARCH_TEXTS,
  MIN_TASK_TEXTS,
  SIMILAR_TEXTS,
} from './searches.table.ts'
import type { Texts } from './text.ts'

const REMOTE_TEXTS: Texts = {
  url: 'The address of the instance.',
  searchApiKey: 'A key of that instance that may search.',
  writeApiKey: 'A key of that instance with `network.update` and with rights to write.',
}

export const NETWORK_TEXTS: Texts = {
  self: 'The name of this instance.',
  leader: 'The instance that takes writes. null: each instance takes its own writes.',
  remotes: {
    about: 'The instances by name; null removes an instance.',
    members: REMOTE_TEXTS,
  },
  addRemotes: {
    about: 'Adds these instances. All others stay unchanged.',
    members: REMOTE_TEXTS,
  },
  removeRemotes: 'Removes the instances with these names.',
  shards: {
    about: 'The shards by name. Documents are divided into shards. null removes a shard.',
    members: {
      remotes: 'The instances that hold the shard.',
      addRemotes: 'Instances that will also hold the shard.',
      removeRemotes: 'Instances that will no longer hold the shard.',
    },
  },
  previousRemotes: 'Only instances send this: the remotes before the change.',
  previousShards: 'Only instances send this: the shards before the change.',
}

export const REPAIR_TEXTS: Texts = {
  instances:
    'The instances whose shards are wrong if instances differ. If absent, the majority of the instances is right.',
}

export const DIGEST_TEXTS: Texts = {
  shards: 'Names of the shards after a planned change, each with a letter before it.',
  documents: 'False reads only the settings of indexes.',
}

export const CONTAINS_TEXTS: Texts = {
  ...MIN_TASK_TEXTS,
  indexUids: 'The indexes that have to contain the task. All if absent.',
}

export const ARRIVED_TEXTS: Texts = { remote: 'The name of the instance in the network.' }

export const CONTROL_TEXTS: Texts = {
  origin: {
    about: 'The change to which the message belongs.',
    members: {
      remoteName: 'The instance that sends it.',
      taskUid: 'The task of the change there.',
      networkVersion: 'The version of the network.',
    },
  },
  message: {
    about: 'The message.',
    members: {
      type: 'The kind of the message.',
      remote: 'The instance that receives the message.',
      successful: 'Whether the import succeeded.',
      routed: 'Whether the sender searches by the new network.',
      status: 'The state of the instance.',
      network: 'The network, as it is stored.',
      documents: 'Whether documents follow.',
      tasks: 'The tasks of the message.',
    },
  },
}

const SHARDS = 'The shards that answer. If absent, all shards of the instance.'
const WITHIN = 'The filter of the client’s key, which documents have to pass.'

export const SEARCH_CALL_TEXTS: Texts = {
  searches: {
    about: 'The searches. Each has a separate answer.',
    members: {
      queries: {
        about: 'As in `POST /multi-search`.',
        members: { ...SEARCH_TEXTS, ...MIN_TASK_TEXTS, ...LISTED_SEARCH_TEXTS },
      },
      federation: { about: 'As in `POST /multi-search`.', members: FEDERATION_TEXTS },
      shards: {
        about: 'The queries that only some shards answer.',
        members: { query: 'The position of the query.', names: 'The shards that answer it.' },
      },
      callerFilters:
        'For each query, the number of conditions at the end of its filter that come from the key.',
      isForModel: 'Whether hits are whole documents, for a language model.',
      statistics: {
        about: 'For each query, the numbers of all instances that `bm25` needs.',
        members: {
          documents: 'The number of documents.',
          words: 'The number of words in each field.',
          frequencies:
            'For each word of the query, the number of documents that have the word, by number of typos.',
        },
      },
      asksStatistics: 'Whether the answer has only the numbers of `statistics`.',
    },
  },
}

export const FOREIGN_CALL_TEXTS: Texts = {
  indexUid: 'The index of the documents.',
  step: 'The purpose of the call, for people.',
  condition: 'A filter. The answer has the ids of the documents that pass it.',
  ids: 'Ids. The answer has the documents with these ids.',
  within: WITHIN,
  shards: SHARDS,
}

export const SIMILAR_CALL_TEXTS: Texts = {
  ...SIMILAR_TEXTS,
  indexUid: 'The index of the document.',
  within: WITHIN,
  vectors: {
    about:
      'The vectors of the document. If absent, the answer has the vectors of the document, and no hits.',
    members: { slot: 'The fragment of the vector, as a number.', vector: 'The vector.' },
  },
  shards: SHARDS,
}
