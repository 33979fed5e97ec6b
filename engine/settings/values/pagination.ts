// The number of results that can be paged through.
import { count, object } from '../../../format/schema/index.ts'
import { mergeMember, type Partly, setting } from '../schema/index.ts'

export type Pagination = { readonly maxTotalHits: number }

const DEFAULT: Pagination = { maxTotalHits: 1000 }

export const pagination = setting<Pagination, Partly<Pagination>>()({
  code: 'invalid_settings_pagination',
  advice: 'send `{"maxTotalHits": n}`, n from 1.',
  change: 'members',
  default: DEFAULT,
  stored: object<Pagination>({ maxTotalHits: count }),
  merge: (current, { maxTotalHits }) => ({
    maxTotalHits: mergeMember(maxTotalHits, current.maxTotalHits, DEFAULT.maxTotalHits),
  }),
})
