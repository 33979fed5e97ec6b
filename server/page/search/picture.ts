// Pictures and links of documents. A picture is shown only if it comes from an origin that the
// operator allows, so that documents of strangers load nothing. The user opens a link, in a new tab.
import { type Hit, h } from '../parts/index.ts'
import { fieldsOf } from './hit-text.ts'

const PICTURE_NAME = /image|img|picture|photo|poster|cover|thumb|avatar|logo|icon/i
const PICTURE_PATH = /\.(?:jpe?g|png|webp|gif|avif|svg)$/i

/** Returns the address if the value is a text that is an address of the web as a whole, or null. */
export function webAddress(value: unknown): URL | null {
  if (typeof value !== 'string' || !/^https?:\/\/\S+$/i.test(value)) return null
  return URL.canParse(value) ? new URL(value) : null
}

/** Returns the address if the value is a picture of an allowed origin, or null. */
export function pictureAddress(
  name: string,
  value: unknown,
  origins: readonly string[],
): string | null {
  const address = webAddress(Array.isArray(value) ? value[0] : value)
  if (address === null || !origins.includes(address.origin)) return null
  const isPicture = PICTURE_NAME.test(name) || PICTURE_PATH.test(address.pathname)
  return isPicture ? address.href : null
}

/** Returns the first picture of a document, or null. */
export function pictureOf(hit: Hit, origins: readonly string[]): string | null {
  if (origins.length === 0) return null
  for (const [name, value] of fieldsOf(hit)) {
    const address = pictureAddress(name, value, origins)
    if (address !== null) return address
  }
  return null
}

/** Returns a picture, which disappears if it cannot be loaded. */
export function picture(address: string, className: string): HTMLImageElement {
  const image = h('img', {
    class: className,
    src: address,
    alt: '',
    loading: 'lazy',
    decoding: 'async',
    referrerpolicy: 'no-referrer',
    onerror: () => image.remove(),
  })
  return image
}

export const link = (address: URL, text: string): HTMLAnchorElement =>
  h('a', { href: address.href, target: '_blank', rel: 'noopener noreferrer' }, text)
