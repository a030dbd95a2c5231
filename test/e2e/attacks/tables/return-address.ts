/** The address that the service sends a signer to when they are done: used by someone else, or written oddly. */
import type { Area, Attack } from '../attack.ts'
import { click, frame, loads } from './scripts.ts'

const RETURN = 'https://return.countersign.invalid/signed'

/** Recognised: the view ends, nothing is requested on the network, and the service is asked what is true. */
const ends = (name: string, attack: Partial<Attack>): Attack => ({
  name,
  contained: 'The view ends, once; the address is never asked for, and the service is asked what became of the signer.',
  turnIs: 'returned',
  ...attack
})

const goes = (address: string): Partial<Attack> => ({ script: `location = ${JSON.stringify(address)}` })

/** Not the return address: refused like any other server's. */
const isnt = (how: string, address: string, message: string, guard?: Attack['guard']): Attack => ({
  name: `pass for it ${how}`,
  script: `location = ${JSON.stringify(address)}`,
  message,
  ...(guard && { guard })
})

export const returnAddress: Area = {
  title: 'The return address',
  about:
    'Asking for it ends the view and proves nothing: only the service says whether the document is signed. Even so, only the page as a whole may end the view, and no request for it may reach a network.',
  by: 'signing page',
  guard: ['return'],
  sharesTurns: true,
  attacks: [
    ends('say by a link that the signer is done', goes(RETURN)),
    ends('say it by a redirect', { script: `location = "/redirect/302?to=${RETURN}?status=signed"` }),
    ends(
      'say it by a form',
      click(`<form method=post action="${RETURN}"><input name=signed value=yes><button id=go>go</button></form>`)
    ),
    ends('say it by a refreshing tag', {
      script: `document.head.insertAdjacentHTML("beforeend", '<meta http-equiv=refresh content="0;url=${RETURN}">')`
    }),
    ends('say it by opening a window', { script: `window.open("${RETURN}")`, guard: ['return'] }),
    ends('say it with words of its own behind it', goes(`${RETURN}?EventType=1&signed=yes#all`)),
    ends('say it in capitals', goes('HTTPS://RETURN.COUNTERSIGN.INVALID/signed')),
    ends('say it with the port written out', goes('https://return.countersign.invalid:443/signed')),
    ends('say it with steps back in the path', goes('https://return.countersign.invalid/a/../signed')),
    ends('say it with encoded steps back in the path', goes('https://return.countersign.invalid/a/%2e%2e/signed')),
    ends('say it with backslashes', goes('https:\\\\return.countersign.invalid\\signed')),
    ends('say it with full-width letters', goes('https://ｒｅｔｕｒｎ.countersign.invalid/signed')),
    ends('say it many times', {
      script: `let n = 0; const again = () => { location = "${RETURN}"; if (++n < 20) setTimeout(again, 2) }; setTimeout(again)`
    }),
    {
      name: 'say from a frame that the signer is done',
      ...frame(RETURN),
      message: 'return.countersign.invalid'
    },
    {
      name: 'say from a frame by a redirect that the signer is done',
      ...frame(`/redirect/302?to=${RETURN}`),
      message: 'return.countersign.invalid'
    },
    {
      name: 'say by a picture that the signer is done',
      script: loads('img', `e.src = "${RETURN}"`),
      guard: ['request'],
      answers: 'refused',
      message: 'can’t be found'
    },
    isnt('without encryption', 'http://return.countersign.invalid/signed', 'unencrypted'),
    isnt('at another port', 'https://return.countersign.invalid:8443/signed', 'open return.countersign.invalid'),
    isnt('with a log-in in it', 'https://ana:pw@return.countersign.invalid/signed', 'log in'),
    isnt('with a dot after the host', 'https://return.countersign.invalid./signed', 'open return.countersign.invalid.'),
    isnt('below the host', 'https://x.return.countersign.invalid/signed', 'open x.return'),
    isnt('as the beginning of another host', 'https://return.countersign.invalid.evil.example/signed', 'evil.example'),
    isnt('as a user name', 'https://return.countersign.invalid@evil.example/signed', 'log in'),
    isnt('in another path', 'https://return.countersign.invalid/signed/x', 'open return.countersign.invalid'),
    isnt(
      'in another path that begins alike',
      'https://return.countersign.invalid/signedx',
      'open return.countersign.invalid'
    ),
    isnt('in another case of the path', 'https://return.countersign.invalid/Signed', 'open return.countersign.invalid'),
    isnt('with a slash more', 'https://return.countersign.invalid//signed', 'open return.countersign.invalid'),
    isnt(
      'with an encoded letter in the path',
      'https://return.countersign.invalid/%73igned',
      'open return.countersign.invalid'
    ),
    isnt('behind another address', `https://evil.example/?to=${RETURN}`, 'evil.example', ['ground', 'request']),
    isnt('by a letter that looks alike', 'https://rеturn.countersign.invalid/signed', 'open xn--', [
      'ground',
      'request'
    ]),
    {
      name: 'be taken for come back because the return address is a script',
      script:
        'location = "javascript:void(window.ran = 1)"; await new Promise((r) => setTimeout(r, 100)); return location.pathname',
      turn: {
        returnAddresses: ['javascript:void(window.ran = 1)', 'about:blank', 'data:text/html,x', 'file:///etc/passwd']
      },
      answers: '/attack',
      guard: ['browser']
    },
    {
      name: 'be taken for come back because the return address is a file',
      script: 'location = "file:///etc/passwd"',
      turn: { returnAddresses: ['file:///etc/passwd', 'nonsense', ''] }
    }
  ]
}
