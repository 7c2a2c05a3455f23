import { expect, test } from 'bun:test'
import { createLog, LOG_LEVELS, type LogLevel } from '../../src/kernel/log.ts'

const clock = { now: () => new Date('2026-11-21T10:00:00Z') }

function collect(level?: LogLevel) {
  const texts: string[] = []
  return { texts, log: createLog(clock, (text) => texts.push(text), level) }
}

test.each([
  ['error', ['error']],
  ['warn', ['error', 'warn']],
  ['info', ['error', 'warn', 'info']],
  [undefined, ['error', 'warn', 'info']],
  ['debug', ['error', 'warn', 'info', 'debug']],
] as const)('at level %p records of level %p are written', (level, written) => {
  const { texts, log } = collect(level)
  for (const one of LOG_LEVELS) log[one](`of level ${one}`)
  log.flush()
  const records = texts.join('').trimEnd().split('\n')
  expect(records.map((line) => JSON.parse(line).level)).toEqual([...written])
  expect(LOG_LEVELS.filter((one) => log.writes(one))).toEqual([...written])
})

test('a record is one line of JSON', () => {
  const { texts, log } = collect()
  log.warn('line\nbreak', { user: 1 })
  expect(texts).toEqual([
    '{"at":"2026-11-21T10:00:00.000Z","level":"warn","message":"line\\nbreak","user":1}\n',
  ])
})

test('records of level info wait for the others, in order', () => {
  const { texts, log } = collect()
  log.info('first')
  expect(texts).toEqual([])
  log.warn('second')
  expect(texts.join('').match(/first|second/g)).toEqual(['first', 'second'])
  log.info('third')
  log.flush()
  expect(texts.join('')).toContain('third')
})

test('an error is written with its causes', () => {
  const { texts, log } = collect()
  log.error('failed', new Error('outer', { cause: new Error('inner') }), { traceId: 'T' })
  const record = JSON.parse(texts.join(''))
  expect(record).toMatchObject({ traceId: 'T', cause: 'outer', because: { cause: 'inner' } })
  expect(record.stack).toContain('log.test.ts')
})

test('an error that is its own cause ends', () => {
  const { texts, log } = collect()
  const error = new Error('loop')
  error.cause = error
  log.error('failed', error)
  expect(texts).toHaveLength(1)
})
