// ETags of uploads in parts, and their texts.
import { createHash } from 'node:crypto'

const MD5 = /^[0-9a-f]{32}$/

export const unquoted = (etag: string): string => etag.replace(/^"(.*)"$/, '$1').toLowerCase()

/**
 * Returns the ETag that stores give an upload of parts with these tags: the MD5 of their MD5s, and
 * their number. Returns null if the tags are not MD5s.
 */
export function uploadEtag(etags: readonly string[]): string | null {
  const hash = createHash('md5')
  for (const etag of etags.map(unquoted)) {
    if (!MD5.test(etag)) return null
    hash.update(etag, 'hex')
  }
  return `${hash.digest('hex')}-${etags.length}`
}
