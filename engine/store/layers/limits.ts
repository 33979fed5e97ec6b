// Limits that the layers of an index have in common: each is asserted where a layer relies on that
// of another one.
import { DOCUMENTS_PER_SEGMENT_MAX } from '../../../format/documents/index.ts'
import { assert } from '../../../format/errors.ts'
import {
  FIELD_IDS_MAX,
  DOCUMENT_IDS_MAX as FIELDS_DOCUMENT_IDS_MAX,
  SEGMENT_DOCS_MAX,
  STRING_BYTES_MAX,
} from '../../../format/fields/index.ts'
import { FIELDS_MAX } from '../../../format/ids.ts'
import { DEPTH_MAX } from '../../../format/json/index.ts'
import { SEGMENT_BYTES_MAX } from '../../../format/manifest/index.ts'
import {
  POSITION_MAX,
  TERM_BYTES_MAX as STORED_TERM_BYTES_MAX,
} from '../../../format/postings/index.ts'
import { SEGMENT_DOCUMENTS_MAX } from '../../../format/tombstones/index.ts'
import { DOCUMENT_IDS_MAX } from '../../../format/vectors/index.ts'
import { FACET_BYTES_MAX, POSITIONS_MAX, TERM_BYTES_MAX } from '../../text/index.ts'
import { MAP_BYTES_MAX } from '../storage/index.ts'

/** Names nested deeper than documents can be do not occur; this limit stops a mistake. */
export const NESTING_MAX = 256

assert(NESTING_MAX > DEPTH_MAX, 'each field of a document is found')
assert(SEGMENT_BYTES_MAX <= MAP_BYTES_MAX, 'each segment can be mapped')
assert(DOCUMENTS_PER_SEGMENT_MAX <= SEGMENT_DOCS_MAX, 'columns hold all documents of a segment')
assert(DOCUMENTS_PER_SEGMENT_MAX <= SEGMENT_DOCUMENTS_MAX, 'all documents of a segment may be dead')
assert(DOCUMENT_IDS_MAX === FIELDS_DOCUMENT_IDS_MAX, 'columns and vectors hold the same documents')
assert(FIELDS_MAX <= FIELD_IDS_MAX, 'each field of a document may have a column')
assert(TERM_BYTES_MAX <= STORED_TERM_BYTES_MAX, 'each word of the analysis is a term')
assert(POSITIONS_MAX <= POSITION_MAX + 1, 'each position of the analysis can be stored')
assert(FACET_BYTES_MAX <= STRING_BYTES_MAX, 'each facet string of the analysis can be stored')
