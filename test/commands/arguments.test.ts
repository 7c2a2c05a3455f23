import { describe, expect, test } from 'bun:test'
import { type CommandShape, parseArguments, UsageError } from '../../src/commands/arguments.ts'

const SHAPE: CommandShape = {
  name: 'user create',
  words: ['NAME'],
  flags: {
    email: { kind: 'text', meaning: 'An address' },
    role: { kind: 'list', meaning: 'A role' },
    quiet: { kind: 'switch', meaning: 'Says nothing' },
  },
}

const parse = (line: string) => parseArguments(SHAPE, line.split(' '))

describe('words and flags', () => {
  test('in any order, with and without an equals sign', () => {
    const args = parse('--role A ann --email=a@b=c --role B --quiet')
    expect(args.words).toEqual(['ann'])
    expect(args.find('email')).toBe('a@b=c')
    expect(args.list('role')).toEqual(['A', 'B'])
    expect([args.has('quiet'), args.json, args.dataFolder]).toEqual([true, false, './data/local'])
  })

  test('every command takes a data folder and --json', () => {
    const args = parse('ann --data /tmp/x --json')
    expect([args.dataFolder, args.json]).toEqual(['/tmp/x', true])
  })

  test('settings are flags by their names, in any case', () => {
    const args = parse('ann --Svc:Sql:Timeout=5s --App:Mail:From a@b --svc:Errors=on')
    expect(args.settings).toEqual({
      'Svc:Sql:Timeout': '5s',
      'App:Mail:From': 'a@b',
      'svc:Errors': 'on',
    })
  })

  test('what is left out is not there', () => {
    const args = parse('ann')
    expect([args.find('email'), args.list('role'), args.has('quiet')]).toEqual([
      undefined,
      [],
      false,
    ])
    expect(() => args.require('email')).toThrow('--email is missing')
  })
})

describe('what does not belong is named', () => {
  test.each([
    ['--quiet', 'NAME is missing'],
    ['ann bob', 'takes no argument bob'],
    ['ann --rola A', 'has no flag --rola; did you mean --role?'],
    ['ann --rola=secret', '"appengine user create" has no flag --rola; did you mean --role?'],
    ['ann -q', 'has no flag -q'],
    ['ann --role', '--role needs a value'],
    ['ann --email a --email b', '--email is given twice'],
    ['ann --quiet=yes', '--quiet takes no value'],
    ['ann --Svc:Errors', '--Svc:Errors needs a value'],
    ['ann --constructor x', 'has no flag --constructor'],
  ])('%s', (line, message) => {
    expect(() => parse(line)).toThrow(UsageError)
    expect(() => parse(line)).toThrow(message)
  })
})
