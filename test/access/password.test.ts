import { describe, expect, test } from 'bun:test'
import { Failure } from '../../src/kernel/failure.ts'
import { PasswordQueue, type PasswordSource } from '../../src/access/passwords/password-queue.ts'
import { findPasswordFault } from '../../src/access/passwords/password-rules.ts'
import {
  ARGON2ID,
  hashPassword,
  PASSWORD_BYTES_MAX,
  requirePasswordSize,
  verifyPassword,
} from '../../src/access/passwords/password.ts'

describe('hashes', () => {
  test('are argon2id with the parameters that OWASP asks for at least', async () => {
    const hash = await hashPassword('nine stones under a bridge')
    expect(hash).toStartWith(`$argon2id$v=19$m=${ARGON2ID.memoryCost},t=${ARGON2ID.timeCost},p=1$`)
    expect(await verifyPassword('nine stones under a bridge', hash)).toBe(true)
    expect(await verifyPassword('nine stones under a Bridge', hash)).toBe(false)
  })

  test('Strapi CVE-2025-25298: a long password counts to its end', async () => {
    const long = 'x'.repeat(79) + 'y'
    const hash = await hashPassword(long)
    expect(await verifyPassword(long.slice(0, 72), hash)).toBe(false)
    expect(await verifyPassword('x'.repeat(80), hash)).toBe(false)
    expect(await verifyPassword(long, hash)).toBe(true)
  })

  test('a composed and a decomposed keyboard type the same password', async () => {
    const hash = await hashPassword('cafe\u0301 in the morning')
    expect(await verifyPassword('caf\u00e9 in the morning', hash)).toBe(true)
  })

  test.each([
    ['no hash', null],
    ['no user', undefined],
    ['bcrypt', '$2b$10$CwTycUXWue0Thq9StjUM0uJ8Wn0bVxYf6bM5ZpKZb5Qh7xJxGx7aK'],
    ['plain text', 'nine stones under a bridge'],
    ['a damaged argon2id', '$argon2id$v=19$m=19456,t=2,p=1$!!$!!'],
    ['nothing', ''],
  ])('%s is a failed sign-in, never an error', async (_, hash) => {
    expect(await verifyPassword('nine stones under a bridge', hash)).toBe(false)
  })

  test('an empty password is a failed sign-in', async () => {
    expect(await verifyPassword('', await hashPassword('nine stones'))).toBe(false)
  })

  test('more bytes than the limit are refused before any work', () => {
    expect(() => requirePasswordSize('é'.repeat(PASSWORD_BYTES_MAX / 2))).not.toThrow()
    expect(() => requirePasswordSize('é'.repeat(PASSWORD_BYTES_MAX / 2) + 'e')).toThrow(Failure)
  })
})

describe('rules', () => {
  const rules = { lengthMin: 10, own: ['ana.north', 'berg@fjord.example.test', null] }

  test.each([
    'short',
    '九文字のパスワード',
    'password123',
    'P4ssw0rd2026!',
    'p@$$w0rd!!1',
    'Welcome12345',
    'Summer2026!!',
    '1234567890',
    '0987654321',
    'qwertyuiop',
    'abcdefghijkl',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'Ana.North2026',
    'Berg@fjord.example.test!',
    'Berg123456789',
    'administrator',
    'ｐａｓｓｗｏｒｄ１２３',
    'correct horse battery staple',
  ])('%s is refused', (password) => {
    expect(findPasswordFault(password, rules)).toBeDefined()
  })

  test.each(['nine stones under a bridge', 'gX7!kq2#Lw', 'äöü-Brücken-Flöße', 'ana-demo-password'])(
    '%s passes',
    (password) => {
      expect(findPasswordFault(password, rules)).toBeUndefined()
    },
  )

  test('the reason does not repeat the password', () => {
    expect(String(findPasswordFault('password123', rules))).not.toContain('password123')
  })
})

const ANN = { user: 'ann', address: '198.51.100.1' }

describe('queue', () => {
  function openGate() {
    const { promise, resolve } = Promise.withResolvers<void>()
    return { opened: promise, open: resolve }
  }

  test('runs few at a time, in order, and refuses what would wait too long', async () => {
    const queue = new PasswordQueue({ concurrency: 1, waitingMax: 2 })
    const gate = openGate()
    const order: number[] = []
    const enter = (id: number) =>
      queue.run(ANN, async () => {
        order.push(id)
        await gate.opened
      })
    const running = [enter(1), enter(2), enter(3)]
    const refused = await enter(4).catch((thrown: unknown) => thrown)
    expect(refused).toMatchObject({ kind: 'unavailable', headers: { 'Retry-After': '5' } })
    expect(order).toEqual([1])
    gate.open()
    await Promise.all(running)
    expect(order).toEqual([1, 2, 3])
    await enter(5)
  })

  /** Asks for work by everybody in turn, and gives the names in the order of their turns. */
  async function runAll(askers: readonly (PasswordSource & { name: string })[], waitingMax = 1000) {
    const queue = new PasswordQueue({ concurrency: 1, waitingMax })
    const gate = openGate()
    const first = queue.run(ANN, () => gate.opened)
    const order: string[] = []
    const refused: string[] = []
    const all = askers.map(({ name, ...by }) =>
      queue
        .run(by, () => Promise.resolve(order.push(name)))
        .catch(() => {
          refused.push(name)
        }),
    )
    gate.open()
    await Promise.all([first, ...all])
    return { order, refused }
  }

  const many = (count: number, asker: PasswordSource & { name: string }) =>
    Array.from({ length: count }, () => asker)

  test('300 right sign-ins of one user let others in between', async () => {
    const { order } = await runAll([
      ...many(300, { ...ANN, name: 'greedy' }),
      { user: 'bo', address: '198.51.100.2', name: 'elsewhere' },
      { user: 'cy', address: ANN.address, name: 'same office' },
    ])
    expect(order.indexOf('elsewhere')).toBeLessThan(3)
    expect(order.indexOf('same office')).toBeLessThan(15)
  })

  test('300 users of one address let those of another in between', async () => {
    const users = Array.from({ length: 300 }, (_, at) => ({
      user: `user${at}`,
      address: '198.51.100.9',
      name: 'storm',
    }))
    const { order } = await runAll([
      ...users,
      { user: 'bo', address: '198.51.100.2', name: 'elsewhere' },
    ])
    expect(order.indexOf('elsewhere')).toBeLessThan(40)
  })

  test('when too many wait the greediest is refused, whoever came last', async () => {
    const { order, refused } = await runAll(
      [
        ...many(10, { ...ANN, name: 'greedy' }),
        { user: 'bo', address: '198.51.100.2', name: 'late' },
      ],
      10,
    )
    expect(order).toContain('late')
    expect(refused).toEqual(['greedy'])
  })

  test('goes on after work that failed', async () => {
    const queue = new PasswordQueue({ concurrency: 1, waitingMax: 1 })
    const failed = queue.run(ANN, () => Promise.reject(new Error('no')))
    await expect(failed).rejects.toThrow('no')
    expect(await queue.run(ANN, () => Promise.resolve('yes'))).toBe('yes')
  })
})
