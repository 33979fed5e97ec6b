// Here is a finished answer: where are its hits?
export {
  joinHits,
  memberOf,
  splitHits,
  splitResults,
  withoutMembers,
} from './split.ts'
