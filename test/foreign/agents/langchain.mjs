// A LangChain agent's tools, over Bursar's local server: lists them, calls what it is told to, and prints one JSON object.
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { ClientCredentialsProvider } from 'mcp-sdk-current/client/auth-extensions.js';

const { url, key, clientId, clientSecret, calls } = JSON.parse(process.env['LANGCHAIN_AGENT'] ?? '{}');

const access = key === undefined ? { authProvider: new ClientCredentialsProvider({ clientId, clientSecret, expectedIssuer: new URL(url).origin }) } : { headers: { authorization: `Bearer ${key}` } };
const client = new MultiServerMCPClient({ mcpServers: { bursar: { transport: 'http', url, automaticSSEFallback: false, ...access } }, throwOnLoadError: true, prefixToolNameWithServerName: false });
try {
  const tools = await client.getTools();
  const answers = [];
  for (const { tool, args } of calls) {
    const found = tools.find(({ name }) => name === tool);
    if (found === undefined) answers.push({ served: false, text: `no tool "${tool}"` });
    else {
      await found.invoke(args).then(
        (answer) => answers.push({ served: true, text: typeof answer === 'string' ? answer : JSON.stringify(answer) }),
        (error) => answers.push({ served: false, text: error.message }),
      );
    }
  }
  process.stdout.write(`${JSON.stringify({ tools: tools.map(({ name }) => name), answers })}\n`);
} finally {
  await client.close();
}
