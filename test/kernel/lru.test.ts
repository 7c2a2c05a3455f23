/** Entries that a bounded memory still knows, and those that it has forgotten. */
import { expect, test } from 'bun:test'
import { Lru } from '../../src/kernel/lru.ts'

test('the memory has a bound, and what is asked for stays', () => {
  const lru = new Lru<string, number>(100)
  lru.keep('often', 0, 10)
  for (let at = 1; at < 1000; at++) {
    lru.keep(`key ${at}`, at, 1 + (at % 20))
    expect(lru.find('often')).toBe(0)
    expect(lru.find(`key ${at}`)).toBe(at)
    expect(lru.weight).toBeLessThanOrEqual(100)
  }
  expect(lru.keep('often', 1, 60)).toBe(1)
  expect(lru.find('often')).toBeUndefined()
  expect(lru.find('key 1')).toBeUndefined()
})

test('without weights the bound is a number of values', () => {
  const lru = new Lru<number, number>(4)
  for (const key of [1, 2]) {
    expect(lru.hasRoom()).toBe(true)
    lru.keep(key, key)
  }
  expect(lru.hasRoom()).toBe(false)
  for (const key of [3, 4, 5]) lru.keep(key, key)
  expect([1, 2, 3, 4, 5].map((key) => lru.find(key))).toEqual([undefined, undefined, 3, 4, 5])
})

test('false and 0 are values', () => {
  const lru = new Lru<string, boolean | number>(4)
  expect([lru.keep('a', false), lru.keep('b', 0)]).toEqual([false, 0])
  expect([lru.find('a'), lru.find('b'), lru.find('c')]).toEqual([false, 0, undefined])
})

test('a bound that shrinks makes room with the next value', () => {
  let max = 10
  const lru = new Lru<number, number>(() => max)
  for (let key = 0; key < 10; key++) lru.keep(key, key)
  max = 4
  for (let key = 10; key < 13; key++) lru.keep(key, key)
  expect(lru.weight).toBeLessThanOrEqual(max)
})
