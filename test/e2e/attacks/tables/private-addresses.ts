/** The office's own network and this machine, by every name in which an address can be written. */
import assert from 'node:assert/strict'
import { type Area, type Attack, on } from '../attack.ts'
import { loads } from './scripts.ts'

/** Makes one request of each kind that loads content, and returns the results. */
const asContent = (address: string) => `
  const one = (make) => new Promise((done) => { make(() => done("granted"), () => done("refused")); setTimeout(done, 1500, "refused") })
  const load = (kind, key) => one((ok, no) => { const e = document.createElement(kind); e.onload = ok; e.onerror = no; e[key] = ${JSON.stringify(address)}; document.body.append(e) })
  return [...new Set(await Promise.all([
    one((ok, no) => fetch(${JSON.stringify(address)}, { mode: "no-cors" }).then(ok, no)),
    one((ok, no) => fetch("/redirect/302?to=" + encodeURIComponent(${JSON.stringify(address)}), { mode: "no-cors" }).then(ok, no)),
    load("img", "src"), load("script", "src")
  ]))]`

/**
 * Tries every way in which an address may come: as a signer's link, as content, by a redirect, in a frame, as the whole
 * page.
 */
function spelling(what: string, host: string, port: '' | ':{elsewhere-port}' = ''): Attack {
  const address = `https://${host}${port}/`
  return {
    name: `reach ${what} (\`${host}\`)`,
    sharesTurn: true,
    play: async (scene) => {
      const written = on(scene.ground, address)
      assert.deepEqual(
        await scene.say({ do: 'judge', link: written }),
        { ok: false, reason: 'private-network' },
        'as a signer’s link'
      )
      assert.deepEqual(await scene.run(asContent(written)), ['refused'], 'as content')
      await scene.untilTold('private network')
      await scene.run(
        `const f = document.createElement("iframe"); f.src = ${JSON.stringify(written)}; document.body.append(f)`
      )
      await scene.untilTold('show a page from')
      await scene.run(`location = ${JSON.stringify(written)}`)
      await scene.untilTold('tried to open')
    }
  }
}

/** Uses the port where the server of elsewhere listens, which would notice if it were let through. */
const reachable = (what: string, host: string) => spelling(what, host, ':{elsewhere-port}')

/** A public name, and the addresses that it leads to. */
function leadingTo(what: string, addresses: string[]): Attack {
  return {
    name: `reach ${what} by a public name (which leads to ${addresses.join(', ') || 'nothing'})`,
    script: loads('img', 'e.src = "https://leads.example/logo.png"', 2000),
    answers: 'refused',
    message: addresses.length > 0 ? 'private network (leads.example)' : 'can’t be found (leads.example)',
    ...(addresses.length === 0 && { guard: ['request'] as const }),
    turn: { lookups: { 'leads.example': addresses } }
  }
}

export const privateAddresses: Area = {
  title: 'Private addresses, however they are written',
  about:
    'Each address is tried as a signer’s link, as a picture, a script and a question of a script, at the end of a redirect, in a frame and as the whole page. Addresses of this machine lead to a port where a server listens and must not be asked.',
  by: 'signing page',
  guard: ['private'],
  sharesTurns: true,
  attacks: [
    reachable('this machine', '127.0.0.1'),
    reachable('this machine by another of its numbers', '127.0.0.2'),
    reachable('this machine as one decimal number', '2130706433'),
    reachable('this machine as one hexadecimal number', '0x7f000001'),
    reachable('this machine as one octal number', '017700000001'),
    reachable('this machine in octal', '0177.0.0.01'),
    reachable('this machine in hexadecimal', '0x7f.0x0.0x0.0x1'),
    reachable('this machine in decimal, octal and hexadecimal at once', '127.0.0x0.01'),
    reachable('this machine in two parts', '127.1'),
    reachable('this machine in three parts', '127.0.1'),
    reachable('this machine, ended with a dot', '127.0.0.1.'),
    reachable('this machine, with zeros before its numbers', '0000177.0.0.000001'),
    reachable('this machine in full-width digits', '１２７.０.０.１'),
    reachable('this machine in circled digits', '①②⑦.⓪.⓪.①'),
    reachable('this machine in digits of mathematics', '𝟏𝟐𝟕.𝟎.𝟎.𝟏'),
    reachable('this machine with ideographic dots', '127。0。0。1'),
    reachable('this machine with half-width dots', '127｡0｡0｡1'),
    reachable('this machine with full-width dots', '127．0．0．1'),
    reachable('this machine, percent-encoded', '%31%32%37.0.0.1'),
    reachable('this machine with a soft hyphen in it', '127.0.0.\u00ad1'),
    reachable('any address of this machine', '0.0.0.0'),
    reachable('any address of this machine, shortened', '0'),
    reachable('this machine by name', 'localhost'),
    reachable('this machine by name, in capitals', 'LOCALHOST'),
    reachable('this machine by name, in full-width letters', 'ｌｏｃａｌｈｏｓｔ'),
    reachable('this machine by name, ended with a dot', 'localhost.'),
    reachable('a name below this machine’s', 'sign.localhost'),
    reachable('this machine over IPv6', '[::1]'),
    reachable('this machine over IPv6, in full', '[0000:0000:0000:0000:0000:0000:0000:0001]'),
    reachable('this machine over IPv6, with an IPv4 ending', '[::0.0.0.1]'),
    reachable('any address of this machine over IPv6', '[::]'),
    reachable('this machine mapped into IPv6', '[::ffff:127.0.0.1]'),
    reachable('this machine mapped into IPv6, in hexadecimal', '[::ffff:7f00:1]'),
    spelling('this machine as IPv4-compatible', '[::127.0.0.1]'),
    spelling('this machine translated', '[::ffff:0:127.0.0.1]'),
    spelling('this machine through NAT64', '[64:ff9b::127.0.0.1]'),
    spelling('this machine through 6to4', '[2002:7f00:1::]'),
    spelling('the router', '192.168.1.1'),
    spelling('the router as one number', '3232235777'),
    spelling('the router in octal', '0300.0250.1.1'),
    spelling('the router mapped into IPv6', '[::ffff:c0a8:101]'),
    spelling('the router through NAT64', '[64:ff9b::c0a8:101]'),
    spelling('the router through NAT64 of the office’s own', '[64:ff9b:1::c0a8:101]'),
    spelling('the router through 6to4', '[2002:c0a8:101::1]'),
    spelling('the router through Teredo', '[2001:0:4136:e378:8000:63bf:3f57:fefe]'),
    spelling('the office’s ten', '10.0.0.1'),
    spelling('the end of one-seven-two', '172.31.255.254'),
    spelling('the provider’s own', '100.64.0.1'),
    spelling('where clouds keep credentials', '169.254.169.254'),
    spelling('where clouds keep credentials, as one number', '2852039166'),
    spelling('where clouds keep credentials, over IPv6', '[fd00:ec2::254]'),
    spelling('a neighbour over IPv6', '[fe80::1]'),
    spelling('a neighbour over IPv6 of old', '[fec0::1]'),
    spelling('all neighbours', '224.0.0.251'),
    spelling('everyone', '255.255.255.255'),
    spelling('benchmarks', '198.18.0.1'),
    spelling('a name of the office without a dot', 'intranet'),
    spelling('a printer', 'printer.local'),
    spelling('a printer, ended with a dot', 'printer.local.'),
    spelling('a name of the router', 'fritz.lan'),
    spelling('a cloud’s own name', 'metadata.google.internal'),
    spelling('a name at home', 'nas.home.arpa'),
    leadingTo('the router', ['192.168.1.1']),
    leadingTo('this machine', ['127.0.0.1']),
    leadingTo('this machine over IPv6', ['::1']),
    leadingTo('this machine mapped into IPv6', ['::ffff:127.0.0.1']),
    leadingTo('the router through NAT64', ['64:ff9b::c0a8:101']),
    leadingTo('the office beside a public address', ['93.184.215.14', '10.0.0.1']),
    leadingTo('where clouds keep credentials', ['169.254.169.254']),
    leadingTo('a neighbour with a zone', ['fe80::1%eth0']),
    leadingTo('something', []),
    {
      name: 'reach whatever a name leads to that can’t be looked up',
      script: loads('img', 'e.src = "https://nowhere.example/logo.png"', 2000),
      answers: 'refused',
      guard: ['request'],
      message: 'can’t be found (nowhere.example)'
    }
  ]
}
