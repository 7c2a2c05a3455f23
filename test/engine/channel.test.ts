/** Messages between processes: in order, bounded both ways, and told when the line is closed. */
import { expect, test } from 'bun:test'
import { Channel, ChannelFlooded } from '../../src/engine/process/channel.ts'

/** Two ends of one line; frames pass as JSON, at once. */
function openPair(): { near: Channel; far: Channel } {
  const pair: { near?: Channel; far?: Channel } = {}
  const copy = (frame: object): unknown => JSON.parse(JSON.stringify(frame))
  const near = new Channel((frame) => pair.far?.receive(copy(frame)))
  const far = new Channel((frame) => pair.near?.receive(copy(frame)))
  Object.assign(pair, { near, far })
  return { near, far }
}

const turns = async (): Promise<void> => {
  for (let at = 0; at < 20; at++) await Promise.resolve()
}

test('messages come in order, however many are sent at once', async () => {
  const { near, far } = openPair()
  const sent = Array.from({ length: 100 }, (_, at) => near.send(at))
  const all: unknown[] = []
  for await (const message of far.messages()) {
    all.push(message)
    if (all.length === 100) break
  }
  await Promise.all(sent)
  expect(all).toEqual(Array.from({ length: 100 }, (_, at) => at))
})

test('whoever sends waits for whoever reads', async () => {
  const { near, far } = openPair()
  let onTheirWay = 0
  for (let at = 0; at < 20; at++) void near.send(at).then(() => onTheirWay++)
  await turns()
  expect(onTheirWay).toBe(8)
  const messages = far.messages()
  await messages.next()
  await turns()
  expect(onTheirWay).toBe(8)
  await messages.next()
  await turns()
  expect(onTheirWay).toBe(9)
})

test('more than the window is a flood', () => {
  const { far } = openPair()
  for (let at = 0; at < 8; at++) far.receive({ body: at })
  expect(() => far.receive({ body: 9 })).toThrow(ChannelFlooded)
  far.receive(null)
  far.receive('text')
  far.receive({ other: 1 })
})

test('a closed line gives what had come, then its end', async () => {
  const { near, far } = openPair()
  await near.send('last')
  near.close()
  far.close(new Error('gone'))
  const messages = far.messages()
  expect((await messages.next()).value).toBe('last')
  const ended = await messages.next().catch((error: unknown) => error)
  expect(String(ended)).toContain('gone')
  expect(String(await near.send(1).catch((error: unknown) => error))).toContain('closed')
  await near.drained()
})

test('drained is when the other side has dealt with all', async () => {
  const { near, far } = openPair()
  await near.send(1)
  let isDrained = false
  const drained = near.drained().then(() => (isDrained = true))
  const messages = far.messages()
  await messages.next()
  await turns()
  expect(isDrained).toBe(false)
  void messages.next()
  await drained
})
