/** Keys of lines in sight: one that comes into sight takes over elements of one that left it. */

/** Of a sight that moves further than this share of it, no line keeps its elements' place. */
const NEAR_SHARE = 1 / 3

/**
 * The keys of `count` lines behind a scroll by `step` lines. A small step turns the keys, so that
 * few elements move; behind a leap each line is drawn into the elements that stand at its place,
 * or at the next one, so that an odd line stays odd: another background is another style.
 */
export function turnKeys(keys: readonly number[], step: number, count: number): number[] {
  const isNear = Math.abs(step) <= keys.length * NEAR_SHARE
  const turn = isNear ? step : Math.abs(step % 2)
  const by = turn < 0 ? keys.length + turn : turn
  const turned = [...keys.slice(by), ...keys.slice(0, by)].slice(0, count)
  const used = new Set(turned)
  for (let key = 0; turned.length < count; key++) if (!used.has(key)) turned.push(key)
  return turned
}
