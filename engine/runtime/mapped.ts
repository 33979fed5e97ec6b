// Lists built from other lists, all of one hidden class. The hidden class that
// `Array.prototype.map` returns depends on whether its caller has been optimized: packed before,
// holey after. V8 deoptimizes every function that has seen only one class when the other one
// arrives, some seconds into a load. The worst case is a list that is built for each view: all
// functions that read segments were deoptimized at the same time.

/** Returns a list with the result of `make` for each item. */
export function mapped<From, To>(
  list: readonly From[],
  make: (item: From, at: number) => To,
): To[] {
  const results: To[] = []
  for (let i = 0; i < list.length; i++) results.push(make(list[i]!, i))
  return results
}
