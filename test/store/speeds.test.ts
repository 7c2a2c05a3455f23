import { expect, test } from 'bun:test'
import { Speeds } from '../../src/store/speeds.ts'

const SQL = 'SELECT 1'

const noteLanes = (speeds: Speeds, times: number[]) => {
  for (const milliseconds of times) speeds.noteLane(SQL, milliseconds)
}

test('a statement earns the serving thread by a few quick runs', () => {
  const speeds = new Speeds()
  expect(speeds.weigh(SQL)).toBe('unknown')
  noteLanes(speeds, [1, 1, 1])
  expect(speeds.isEarned(SQL)).toBe(false)
  noteLanes(speeds, [1])
  expect(speeds.isEarned(SQL)).toBe(true)
})

test('a slow run among them starts the count anew', () => {
  const speeds = new Speeds()
  noteLanes(speeds, [1, 1, 1, 50, 1, 1, 1])
  expect(speeds.isEarned(SQL)).toBe(false)
})

test('one slow run on the serving thread sends it back for long', () => {
  const speeds = new Speeds()
  noteLanes(speeds, [1, 1, 1, 1])
  speeds.noteQuick(SQL, 2)
  expect(speeds.isEarned(SQL)).toBe(true)
  speeds.noteQuick(SQL, 20)
  noteLanes(speeds, [1, 1, 1, 1])
  expect(speeds.isEarned(SQL)).toBe(false)
})

test('what was slow the last time is heavy', () => {
  const speeds = new Speeds()
  noteLanes(speeds, [500])
  expect(speeds.weigh(SQL)).toBe('heavy')
  noteLanes(speeds, [5])
  expect(speeds.weigh(SQL)).toBe('light')
})
