/** A server of the protocol of OpenAI's chat completions, which answers what a test says. */
import type { Row } from './objects.ts'

/** A request as it came. */
export interface ModelRequestSeen {
  headers: Headers
  body: {
    model: string
    stream: boolean
    messages: { role: string; content: string; tool_calls?: Row[]; tool_call_id?: string }[]
    tools?: { function: { name: string; parameters: Row } }[]
    tool_choice?: string
  }
}

/** The server's reaction to one request. */
export type ModelAnswer =
  | { text: string; crumbs?: number }
  | { calls: readonly { name: string; args: unknown }[]; text?: string }
  | { status: number; headers?: Record<string, string>; body?: string }
  /** Sends some bytes, then nothing any more. */
  | { hangs: true }
  | { raw: string; type?: string }

/** The stub at its address. `await using` stops it. */
export interface OpenaiStub extends AsyncDisposable {
  url: string
  seen: ModelRequestSeen[]
  /** Requests whose client has gone before their end. */
  aborted: number
  /** Settings that lead to it. */
  settings: Record<string, string>
}

/** Answers the requests one by one as told; a function is asked with what came. */
export function startOpenaiStub(
  answers: readonly (ModelAnswer | ((seen: ModelRequestSeen) => ModelAnswer))[],
): OpenaiStub {
  const seen: ModelRequestSeen[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    fetch: async (request) => {
      const body = (await request.json()) as ModelRequestSeen['body']
      const came = { headers: request.headers, body }
      const planned = answers[seen.push(came) - 1] ?? { text: 'That is all.' }
      const answer = typeof planned === 'function' ? planned(came) : planned
      return respond(answer, () => stub.aborted++)
    },
  })
  const url = `http://127.0.0.1:${server.port}/v1`
  const stub: OpenaiStub = {
    url,
    seen,
    aborted: 0,
    settings: {
      'Svc:Assistant:Provider': 'openai',
      'Svc:Assistant:BaseUrl': url,
      'Svc:Assistant:Model': 'test-model',
      'Svc:Assistant:ApiKey': 'sk-a-secret-key',
      'Svc:Assistant:Retries': '1',
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return stub
}

function respond(answer: ModelAnswer, abort: () => void): Response {
  if ('status' in answer) {
    const body = answer.body ?? '{"error":{"message":"secret words of the server"}}'
    const headers = { 'Content-Type': 'application/json', ...answer.headers }
    return new Response(body, { status: answer.status, headers })
  }
  if ('raw' in answer)
    return new Response(answer.raw, {
      headers: { 'Content-Type': answer.type ?? 'text/event-stream' },
    })
  if ('hangs' in answer) {
    const first = `data: ${JSON.stringify(chunk({ content: 'Well ' }))}\n\n`
    return new Response(
      new ReadableStream({
        start: (to) => to.enqueue(new TextEncoder().encode(first)),
        cancel: abort,
      }),
      { headers: { 'Content-Type': 'text/event-stream' } },
    )
  }
  const events = [...listDeltas(answer).map((delta) => chunk(delta)), ending(answer)]
  const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  return new Response(`${text}data: [DONE]\n\n`, {
    headers: { 'Content-Type': 'text/event-stream' },
  })
}

const chunk = (delta: Row): Row => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  model: 'test-model',
  choices: [{ index: 0, delta, finish_reason: null }],
})

const ending = (answer: ModelAnswer): Row => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: {}, finish_reason: 'calls' in answer ? 'tool_calls' : 'stop' }],
  usage: { prompt_tokens: 900, completion_tokens: 100, total_tokens: 1000 },
})

function listDeltas(answer: ModelAnswer): Row[] {
  if ('calls' in answer) {
    const calls = answer.calls.flatMap(({ name, args }, index) => {
      const text = typeof args === 'string' ? args : JSON.stringify(args)
      const half = text.length >> 1
      return [
        { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } },
        { index, function: { arguments: text.slice(0, half) } },
        { index, function: { arguments: text.slice(half) } },
      ]
    })
    const said = answer.text === undefined ? [] : [{ content: answer.text }]
    return [...said, ...calls.map((call) => ({ tool_calls: [call] }))]
  }
  if (!('text' in answer)) return []
  const size = Math.ceil(answer.text.length / (answer.crumbs ?? 3)) || 1
  const crumbs = answer.text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
  return crumbs.map((content) => ({ content }))
}
