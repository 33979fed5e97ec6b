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
  writeApiKey: 'A key of that instance with `network.update` and the rights of writes.',
}

export const NETWORK_TEXTS: Texts = {
  self: 'The name of this instance.',
  leader: 'The instance that takes writes. null: each instance takes its own.',
  remotes: {
    about: 'The instances by name; null removes one.',
    members: REMOTE_TEXTS,
  },
  addRemotes: {
    about: 'Adds these instances and leaves the others as they are.',
    members: REMOTE_TEXTS,
  },
  removeRemotes: 'Removes the instances with these names.',
  shards: {
    about: 'The shards by name, into which documents are divided; null removes one.',
    members: {
      remotes: 'The instances that hold the shard.',
      addRemotes: 'Instances that are to hold the shard as well.',
      removeRemotes: 'Instances that are no longer to hold the shard.',
    },
  },
  previousRemotes: 'Sent by instances alone: the remotes before the change.',
  previousShards: 'Sent by instances alone: the shards before the change.',
}

export const REPAIR_TEXTS: Texts = {
  instances: 'Instances that are wrong where others differ from them. The majority if absent.',
}

export const DIGEST_TEXTS: Texts = {
  shards: 'Names of the shards after a planned change, each behind a letter.',
  documents: 'False: only the settings of indexes are read.',
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
      type: 'Its kind.',
      remote: 'The instance to which it is sent.',
      successful: 'Whether the import succeeded.',
      routed: 'Whether the sender searches by the new network.',
      status: 'The state of the instance.',
      network: 'The network, as it is stored.',
      documents: 'Whether documents follow.',
      tasks: 'The tasks that it is about.',
    },
  },
}

const SHARDS = 'The shards that answer. All of the instance if absent.'
const WITHIN = 'The filter of the client’s key, which documents have to pass.'

export const SEARCH_CALL_TEXTS: Texts = {
  searches: {
    about: 'The searches, each with an answer of its own.',
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
        'For each query the conditions at the end of its filter that come from the key.',
      isForModel: 'Whether hits are whole documents, for a language model.',
      statistics: {
        about: 'For each query the numbers of all instances that `bm25` needs.',
        members: {
          documents: 'The number of documents.',
          words: 'The number of words in each field.',
          frequencies: 'For each word of the query the documents that have it, by number of typos.',
        },
      },
      asksStatistics: 'Whether these numbers are the answer.',
    },
  },
}

export const FOREIGN_CALL_TEXTS: Texts = {
  indexUid: 'The index of the documents.',
  step: 'The purpose of the call, for people.',
  condition: 'A filter: the ids of the documents that pass it are the answer.',
  ids: 'Ids: these documents are the answer.',
  within: WITHIN,
  shards: SHARDS,
}

export const SIMILAR_CALL_TEXTS: Texts = {
  ...SIMILAR_TEXTS,
  indexUid: 'The index of the document.',
  within: WITHIN,
  vectors: {
    about: 'The vectors of the document. Absent: they are the answer.',
    members: { slot: 'The fragment of the vector, as a number.', vector: 'The vector.' },
  },
  shards: SHARDS,
}
