// The texts about the parts of a dynamic search rule, stored or sent with a search.
import type { Texts } from './text.ts'

export const RULE_TEXTS = {
  description: 'A text for people, without an effect.',
  precedence: 'Rules apply in ascending order of this number. Rules without a number come last.',
  active: 'False switches the rule off. True if absent.',
  conditions: {
    about: 'All conditions have to hold. A rule without conditions always applies.',
    members: {
      time: {
        about: 'The time in which the rule applies.',
        members: {
          start: 'The first moment, in RFC 3339 with an offset.',
          end: 'The last moment, in RFC 3339 with an offset.',
        },
      },
      query: {
        about: 'Conditions on the query. `isEmpty: true` cannot be used with `words`.',
        members: {
          isEmpty: 'Whether the query has to be blank.',
          words: 'Words that the query has to contain as whole words, in upper or lower case.',
        },
      },
      filter: {
        about: 'Conditions on the filter of the search.',
        members: {
          values: 'Attributes with the values that the filter has to require by `=` or `IN`.',
        },
      },
    },
  },
  actions: {
    about:
      'Changes of the list of hits. The list of actions of release 1.50 is still accepted and converted to this object.',
    members: {
      pin: {
        about: 'Puts documents at fixed positions.',
        members: {
          indexUid: 'The index of the document; all indexes if absent.',
          id: 'The id of the document.',
          position: 'The position in the list of hits, from 0.',
        },
      },
      scale: {
        about: 'Multiplies the scores of the documents with `ids` that pass `filter`.',
        since: '1.57',
        members: {
          indexUid: 'The index of the documents; all indexes if absent.',
          ids: 'The ids of the documents; all documents if absent.',
          filter: 'A filter that the documents pass; all documents if absent.',
          weight: 'The factor: above 1 raises scores, below 1 lowers them, 0 hides the documents.',
        },
      },
    },
  },
} satisfies Texts
