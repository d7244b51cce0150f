import { request } from 'node:http';
import { createInterface } from 'node:readline';

// A paid server over stdio whose wits are elsewhere: `node stdio-seller.ts URL` asks there what to do with each line.
const url = process.argv[2] ?? '';

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const post = request(url, { method: 'POST' }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        if (response.statusCode === 410) process.exit(1);
        if (response.statusCode === 200) process.stdout.write(`${text}\n`);
      });
    });
    post.on('error', () => process.exit(1));
    post.end(line);
  })
  .on('close', () => process.exit(0));
