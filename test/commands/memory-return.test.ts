/** Memory is given back by a server that has worked, and one at rest is left alone. */
import { expect, test } from 'bun:test'
import { WorkMeter } from '../../src/commands/memory-return.ts'

test('work is taken once, however slowly it comes together, and rest never', () => {
  let milliseconds = 3000
  const meter = new WorkMeter(() => milliseconds)
  // The start is work.
  expect(meter.takeWork()).toBe(true)
  expect(meter.takeWork()).toBe(false)
  milliseconds += 300
  expect(meter.takeWork()).toBe(false)
  milliseconds += 300
  expect(meter.takeWork()).toBe(true)
  expect(meter.takeWork()).toBe(false)
  milliseconds += 5000
  expect(meter.takeWork()).toBe(true)
  milliseconds += 100
  expect(meter.takeWork()).toBe(false)
})
