// A filter that is stored: its syntax is checked when it is sent. Whether an index allows it is
// found out by its searches.
import {
  EngineFault,
  FEATURES,
  type Features,
  filterWording,
  parseFilter,
} from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { anything, checked, invalid, type Schema } from './schemas.ts'

const EVERY_FEATURE = Object.fromEntries(FEATURES.map((name) => [name, true])) as Features
/** Messages name no index, because a filter may be for many. */
const WORDING = filterWording('search', 'parsing', asIndexUid(''))

export const checkedFilter: Schema<unknown> = checked(anything, (found) => {
  try {
    parseFilter(found, { wording: WORDING, features: EVERY_FEATURE, takesForeign: false })
    return found
  } catch (error) {
    if (error instanceof EngineFault) throw invalid(error.message)
    throw error
  }
})
