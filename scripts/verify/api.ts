/** The server's API as one user meets it. */

export interface Answer<T> {
  status: number
  /** The `Retry-After` of a refusal that passes; null without one. */
  retryAfter: string | null
  body: { success: boolean; data: T; code?: string; error?: string; traceId?: string }
}

/** The server did not answer: it is gone, or going. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer'
}

const OBJECTS = '/api/v1/svc/object'

/** A page of rows. */
export interface Page<Row> {
  Rows: Row[]
  Pagination: { TotalRows: number | null }
}

/** A server; its address changes with every start. */
export class Api {
  url: string

  constructor(url: string) {
    this.url = url
  }

  /** Sends one request. Throws NoAnswer when no whole answer comes back. */
  async send<T>(
    path: string,
    body: unknown,
    { token, trace, key }: { token?: string; trace?: string; key?: string | undefined } = {},
  ): Promise<Answer<T>> {
    try {
      const response = await fetch(this.url + path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'Content-Type': 'application/json',
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(key !== undefined && { 'Idempotency-Key': key }),
          ...(trace !== undefined && { traceparent: `00-${trace}-${trace.slice(0, 16)}-01` }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      })
      return {
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        body: (await response.json()) as Answer<T>['body'],
      }
    } catch (error) {
      throw new NoAnswer(path, { cause: error })
    }
  }

  /** A page of an object's rows. Throws when it is refused. */
  async loadRows<Row>(token: string, object: string, request: object): Promise<Row[]> {
    const path = `${OBJECTS}/${object}/table`
    const { status, body } = await this.send<Page<Row>>(path, request, { token })
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`)
    return body.data.Rows
  }

  /** Signs a user in. Throws when it is refused. */
  async signIn(userName: string, password: string): Promise<Tokens> {
    const path = '/api/v1/auth/login'
    const { status, body } = await this.send<Tokens>(path, {
      UserName: userName,
      Password: password,
    })
    if (status !== 200) throw new Error(`${userName}: ${status} ${JSON.stringify(body)}`)
    return body.data
  }
}

export interface Tokens {
  AccessToken: string
  RefreshToken: string
}

/** Routes of the object API that change records. */
export const ROUTES = {
  submit: `${OBJECTS}/submit`,
  delete: `${OBJECTS}/delete-row`,
  action: `${OBJECTS}/execute-row-action`,
  form: `${OBJECTS}/orders/form`,
} as const
