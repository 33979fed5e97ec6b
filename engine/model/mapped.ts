// Lists made from other lists, all of one hidden class. What `Array.prototype.map` returns depends
// on whether its caller has been optimized: packed before, holey after. Every optimized function
// that has seen one class alone is given up when the other comes, some seconds into a load. A list
// that is made for each view is the worst case: all that read segments were given up at once.

/** What `make` makes of each item. */
export function mapped<From, To>(
  list: readonly From[],
  make: (item: From, at: number) => To,
): To[] {
  const made: To[] = []
  for (let i = 0; i < list.length; i++) made.push(make(list[i]!, i))
  return made
}
