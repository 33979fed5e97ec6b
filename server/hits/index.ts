// Finds the hits in a finished answer without parsing it.
export {
  joinHits,
  memberOf,
  splitHits,
  splitResults,
  withoutMembers,
} from './split.ts'
