// Sizes of an encoded set and of its containers · layout: ./IDSET.md
import { assert } from '../errors.ts'

export const HEADER_BYTES = 8
/** Most ids of an array; a container of more is a bitmap. */
export const ARRAY_IDS_MAX = 4096
export const BITMAP_BYTES = 8192
/** Ids of a full container. */
export const CONTAINER_IDS = BITMAP_BYTES * 8
/** Number of 32-bit words of a bitmap container. */
export const WORDS = 2048
export const CONTAINERS_MAX = 65536

assert(ARRAY_IDS_MAX * 2 === BITMAP_BYTES, 'an array takes at most as much as a bitmap')
assert(WORDS * 4 === BITMAP_BYTES, 'words and bytes of a bitmap agree')
assert(CONTAINER_IDS * CONTAINERS_MAX === 2 ** 32, 'containers hold all ids of 32 bits')
