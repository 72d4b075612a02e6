"""The Python side of the graphrag extension: split text, call model endpoints, read what they answer.

Every function takes the database handle (`plpy` in the server) as an argument and nothing here imports it,
so the package runs and is tested without a server. SQL reaches it through thin PL/Python wrappers; jsonb
travels as text.

    loader      how the sources embedded in the extension script become importable
    database    the handle's type, and one-line queries through it
    presence    whether the session's client is still there
    errors      errors with an SQLSTATE of the extension, and missing libraries
    text        text that PostgreSQL accepts, JSON, token estimates
    splitting   a document into chunks
    hashing     the embedding without a model
    retry       which failures are worth another attempt, and when
    client      one OpenAI-compatible server, through the openai package
    turns       how many requests are at a server at a time, from all sessions
    calling     many requests at once: deadlines, failover, cancellation
    endpoints   which endpoint serves a role, and where its secret is
    embedding   texts into vectors
    chat        one question to a chat model, in the best answer format that it supports
    prompts     every word that is said to a model
    parsing     whatever a model wrote into JSON
    records     JSON into entities and triples
    extraction  chunks into entities and triples
    synthesis   evidence into an answer
    clustering  the graph into clusters; cluster_worker is the child process that does it
    reports     clusters into community reports
    jobs        the worker of the queue
    doctor      what is installed and who answers
"""
