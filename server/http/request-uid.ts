// Ids of searches: UUIDs of version 7, which begin with the millisecond and sort by it. They are
// names, not secrets, and need no `node:crypto`, which a start would wait for.

export function requestUid(now: number = Date.now()): string {
  const millis = now.toString(16).padStart(12, '0')
  const variant = '89ab'[Math.floor(Math.random() * 4)]!
  return `${millis.slice(0, 8)}-${millis.slice(8)}-7${digits(3)}-${variant}${digits(3)}-${digits(12)}`
}

/** Returns random hexadecimal digits, at most 13: a random number has 53 bits. */
const digits = (count: number): string =>
  Math.floor(Math.random() * 16 ** count)
    .toString(16)
    .padStart(count, '0')
