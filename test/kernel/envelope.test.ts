import { expect, test } from 'bun:test'
import { STATUS, toEnvelope, toFailure } from '../../src/kernel/envelope.ts'
import { conflict, denied, notFound, unavailable, validation } from '../../src/kernel/failure.ts'
import { learnTranslations, plain, say } from '../../src/kernel/messages.ts'
import { kernelFloor } from '../../src/kernel/part.ts'

test('each kind of failure has its status', () => {
  expect(STATUS).toMatchObject({
    unauthorized: 401,
    notFound: 404,
    invalid: 400,
    validation: 400,
    conflict: 409,
    internal: 500,
  })
})

test('a refusal tells its sentence, its code and the trace', () => {
  expect(toEnvelope(notFound(plain('There is no view X')), 'T', false)).toEqual({
    success: false,
    error: 'There is no view X',
    code: 'NOT_FOUND',
    traceId: 'T',
  })
  expect(toEnvelope(denied(), 'T', false).code).toBe('PERMISSION_DENIED')
})

test('a field validation failure names the fields', () => {
  expect(toEnvelope(validation({ Email: plain('This is no address') }), 'T', false)).toEqual({
    success: false,
    error: 'This is no address',
    code: 'VALIDATION_FAILED',
    traceId: 'T',
    fieldErrors: { Email: 'This is no address' },
  })
})

test('further members stand beside the fixed ones and cannot replace them', () => {
  const failure = conflict(plain('Changed'), {
    members: { conflict: { RowVersion: '2' }, success: true },
  })
  expect(toEnvelope(failure, 'T', false)).toEqual({
    conflict: { RowVersion: '2' },
    success: false,
    error: 'Changed',
    code: 'CONFLICT',
    traceId: 'T',
  })
})

test('what was thrown and is no failure is told only when errors are exposed', () => {
  const failure = toFailure(new Error('SELECT secret FROM t'))
  expect(toEnvelope(failure, 'T', true).error).toBe('SELECT secret FROM t')
  const hidden = toEnvelope(failure, 'T', false)
  expect(hidden).toMatchObject({ code: 'INTERNAL_ERROR', traceId: 'T' })
  expect(hidden.error).not.toContain('secret')
})

test('a 503 always tells why', () => {
  expect(toEnvelope(unavailable(plain('The writer is busy')), 'T', false).error).toBe(
    'The writer is busy',
  )
})

const OWN = kernelFloor.translations?.de ?? []
learnTranslations({ de: [...OWN, ['{0} is required', '{0} ist erforderlich']] })

test('sentences and those beside fields are told in the language of the caller', () => {
  const failure = validation({ Name: say`${'Name'} is required`, Code: plain('Not this one') })
  expect(toEnvelope(failure, 'T', false, 'de-AT')).toMatchObject({
    error: 'Name ist erforderlich',
    fieldErrors: { Name: 'Name ist erforderlich', Code: 'Not this one' },
  })
  expect(toEnvelope(toFailure(new Error('secret')), 'T', false, 'de').error).toContain('Trace-Id')
  expect(failure.message).toBe('Name is required')
})
